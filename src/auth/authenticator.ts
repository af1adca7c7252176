import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Forbidden, Unauthorized } from '../errors/index.js';
import { countLookup } from '../telemetry/metrics.js';
import { looksLikeBrowserToken, readBrowserToken, TOKEN_PURPOSE } from './browser-token.js';
import { ExpiredKey, readApiKey, WrongKey, type KeyReference } from './api-key.js';
import { KeyRepository, type KeyGrant } from './key.repository.js';
import { type Credentials, requireOwnPage } from './credentials.js';
import { isWithin } from './networks.js';
import { ACCESS_TOKEN_ID, AccessTokens } from './people/access-tokens.js';
import { BrowserSessions } from './people/browser-sessions.js';
import type { Identity } from './people/identity.types.js';
import { AccessEnded, PeopleService } from './people/people.service.js';
import { commonPermissions, presentGroups, presentPermissions } from './present-rights.js';
import { DEFAULT_TENANT, type DocumentBound, type LentRights, scopeOf, type Scope } from './scope.js';
import { permissionsFor, TOKEN_USES } from './token-policy.js';
import { SigningSecret } from './signing-secret.js';
import { UnfinishedRestores } from './unfinished-restores.js';
import { WrongKeys } from './wrong-keys.js';

/** Lifetime of a cached grant in milliseconds. It is short because a revocation must take effect within a second. */
export const LIVENESS_TTL_MS = 500;

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/** The key of a grant, and the end user for whom a token of the key acts. */
interface GrantQuestion {
  readonly key: KeyReference;
  readonly person: string | null;
}

/** The caller who made a link, with what narrows the rights of the key. */
export interface Holder {
  readonly keyId: string;
  readonly endUserId: string | null;
  readonly reach: Scope['reach'];
  /** Set if the link was made with a browser token. */
  readonly bound?: DocumentBound;
  /** The groups that the token or the request named, instead of those of the person. */
  readonly groups?: readonly string[];
  /** Set if the link was made with a browser token that another key made. */
  readonly makerId?: string;
  /** Set if the key is ADMIN_KEY: the link ends when ADMIN_KEY is changed. */
  readonly mark?: string;
  /** Set if the link was made with an access token: the link ends with the token. */
  readonly lent?: LentRights;
}

const REVOKED = 'The API key was revoked';

/** Ids of callers without a row in `api_keys`. */
const NO_KEY = 'none';
const ADMIN_KEY_ID = 'admin-key';

/**
 * Authenticates a request by its `Authorization` header: a key, a browser token, or an access token of the identity
 * provider. Without the header, by the cookie of a browser that is signed in, or by the proxy that signed the person in.
 */
@Injectable()
export class Authenticator {
  /** Cached grants by key. An entry without a grant belongs to a key that is unknown, revoked or expired. */
  private readonly known: LRUCache<string, { readonly grant?: KeyGrant }, GrantQuestion>;
  private readonly adminKey: Buffer | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly secret: SigningSecret,
    keys: KeyRepository,
    private readonly wrongKeys: WrongKeys,
    private readonly restores: UnfinishedRestores,
    private readonly accessTokens: AccessTokens,
    private readonly sessions: BrowserSessions,
    private readonly people: PeopleService,
  ) {
    this.adminKey = settings.ADMIN_KEY === undefined ? undefined : digest(settings.ADMIN_KEY);
    this.known = new LRUCache({
      max: 10_000,
      ttl: LIVENESS_TTL_MS,
      // Concurrent requests with the same key share a lookup.
      fetchMethod: async (_entry, _stale, { context: { key, person } }) => {
        const grant = await keys.grantOf(key, person);
        return grant === undefined ? {} : { grant };
      },
    });
  }

  /**
   * Returns the scope of a request.
   *
   * @throws Unauthorized with a reason that reveals nothing about other keys; Forbidden if the key may not be used from
   *   this address; TooManyRequests after too many wrong keys, see {@link WrongKeys}; Unavailable while a
   *   restore into the tenant is not finished.
   */
  authenticate(credentials: Credentials): Promise<Scope> {
    return this.scopeOfRequest(credentials, (identity) => this.people.admit(identity));
  }

  /**
   * Checks that what a running request was admitted with still works. What a proxy said at its beginning may be out of
   * date, and is not stored again.
   * @param scope of the request; null: nobody sent it
   * @throws the same errors as {@link authenticate}
   */
  async requireWorking(credentials: Credentials, scope: Scope | null): Promise<void> {
    if (scope === null) return;
    const key = { appId: scope.appId, id: scope.keyId };
    await this.scopeOfRequest(credentials, async () => {
      if ((await this.lookUp(key, null)) === undefined) throw new AccessEnded();
      return key;
    });
  }

  /** @param keyOf the key of a person whom the proxy signed in */
  private async scopeOfRequest(
    credentials: Credentials,
    keyOf: (identity: Identity) => Promise<KeyReference>,
  ): Promise<Scope> {
    if (this.settings.AUTH_MODE === 'none') return scopeOf(DEFAULT_TENANT, ['admin'], NO_KEY);
    const scope = await this.scopeOfCredentials(credentials, keyOf);
    await this.restores.requireFinished(scope.appId);
    return scope;
  }

  private async scopeOfCredentials(
    credentials: Credentials,
    keyOf: (identity: Identity) => Promise<KeyReference>,
  ): Promise<Scope> {
    const { authorization, session, proxy, address } = credentials;
    if (authorization !== undefined) {
      const token = BEARER.exec(authorization)?.[1];
      if (token !== undefined) return this.identify(token, address);
      throw new Unauthorized('The Authorization header is malformed: expected "Bearer <API_KEY>"');
    }
    if (session === undefined && proxy === null) {
      throw new Unauthorized('No API key: send it as "Authorization: Bearer <API_KEY>"');
    }
    requireOwnPage(credentials, this.settings.PUBLIC_URL);
    if (session !== undefined) return this.scopeOfRow(await this.sessions.keyOf(session), address);
    if (proxy !== null && 'identity' in proxy) {
      return this.scopeOfRow(await keyOf(proxy.identity), address);
    }
    throw new Unauthorized(proxy?.refusal ?? 'Nobody is signed in');
  }

  /** Returns the scope of a key that its person does not hold: all rights of its row. */
  private async scopeOfRow(key: KeyReference, address: string): Promise<Scope> {
    const grant = await this.grantOf(key, address);
    return scopeOf(key.appId, grant.permissions, key.id, grant);
  }

  /**
   * Returns the scope of a key without the `Authorization` scheme before it. Throws the same errors as {@link
   * authenticate}.
   */
  async identify(token: string, address: string): Promise<Scope> {
    if (this.settings.AUTH_MODE === 'none') return scopeOf(DEFAULT_TENANT, ['admin'], NO_KEY);
    if (this.isAdminKey(token)) return scopeOf(DEFAULT_TENANT, ['admin'], ADMIN_KEY_ID);
    try {
      if (this.accessTokens.takes(token)) return await this.accessTokens.scopeOf(token);
      return await this.scopeOfKey(token, address);
    } catch (error) {
      if (error instanceof WrongKey) await this.wrongKeys.count(address);
      if (error instanceof ExpiredKey) this.wrongKeys.countRefused(error.key, address, 'expired key');
      throw error;
    }
  }

  /** Returns what a link must say of the caller who makes it, for {@link scopeOfHolder}. */
  holderOf(scope: Scope): Holder {
    const { keyId, endUserId, reach, token: bound, groups, namesGroups = false, makerId, lent } = scope;
    const [mark] = keyId === ADMIN_KEY_ID ? this.adminKeyMarks() : [];
    return {
      keyId,
      endUserId,
      reach,
      ...(bound !== undefined && { bound }),
      ...(namesGroups && { groups }),
      ...(makerId !== undefined && { makerId }),
      ...(mark !== undefined && { mark }),
      ...(lent !== undefined && { lent }),
    };
  }

  /**
   * Returns the present rights of the caller who made a link.
   * @returns undefined if the key of the caller, or the one that made the caller's token, no longer works or may no
   * longer read
   * @throws Unavailable while a restore into the tenant is not finished
   */
  async scopeOfHolder(appId: string, holder: Holder): Promise<Scope | undefined> {
    const { keyId, endUserId, reach, bound: token, mark = '' } = holder;
    const isOpen = this.settings.AUTH_MODE === 'none';
    if (keyId === NO_KEY || keyId === ADMIN_KEY_ID) {
      const works = keyId === NO_KEY ? isOpen : this.adminKeyMarks().includes(mark);
      const { groups } = holder;
      return works
        ? scopeOf(appId, ['read'], keyId, { endUserId, reach, ...(groups && { groups }) })
        : undefined;
    }
    if (keyId === ACCESS_TOKEN_ID) return this.accessTokens.scopeOfLent(appId, holder);
    const grant = await this.lookUp({ appId, id: keyId }, endUserId);
    const makers = await this.makersOf(appId, holder.makerId ?? null);
    if (grant === undefined || makers === undefined) {
      await this.restores.requireFinished(appId); // its keys are restored last
      return undefined;
    }
    const holders = [grant, ...makers] as const;
    const permissions = presentPermissions(holders);
    if (!permissions.includes('read')) return undefined;
    const { shards } = grant;
    const groups = presentGroups(holder.groups ?? null, holders);
    return scopeOf(appId, permissions, keyId, { shards, endUserId, groups, reach, token });
  }

  /** Values that only this installation with this ADMIN_KEY can compute. */
  private adminKeyMarks(): string[] {
    const { adminKey } = this;
    if (adminKey === undefined) return [];
    return this.secret
      .deriveAll('admin-key-mark')
      .map((key) => createHmac('sha256', key).update(adminKey).digest('base64url'));
  }

  private async scopeOfKey(token: string, address: string): Promise<Scope> {
    if (looksLikeBrowserToken(token)) return this.scopeOfToken(token, address);
    const key = await this.secret.verify((secret) => readApiKey(token, secret));
    const grant = await this.grantOf(key, address);
    if (key.endUserId !== null && grant.endUserId !== key.endUserId) throw new Unauthorized(REVOKED);
    const permissions = commonPermissions([key.permissions, grant.permissions]);
    return scopeOf(key.appId, permissions, key.id, grant);
  }

  /**
   * Returns the scope of a browser token. The token has only those of its uses whose permission its key, and the one that
   * made it, still have.
   */
  private async scopeOfToken(text: string, address: string): Promise<Scope> {
    const token = await this.secret.verify((secret) => readBrowserToken(text, secret), TOKEN_PURPOSE);
    const { key, bound, makerId } = token;
    const grant = await this.grantOf(key, address, token.endUserId);
    const makers = await this.makersOf(key.appId, makerId);
    if (makers === undefined) throw new Unauthorized('The API key that made the token was revoked');
    const holders = [grant, ...makers] as const;
    const permissions = new Set(presentPermissions(holders));
    const uses = token.uses.filter((use) => permissions.has(TOKEN_USES[use]));
    const endUserId = grant.endUserId ?? token.endUserId;
    const { shards, allowance } = grant;
    // A token without a person reads what everyone reads, also if its key reads everything.
    return scopeOf(key.appId, permissionsFor(uses), key.id, {
      shards,
      endUserId,
      groups: presentGroups(token.groups, holders),
      namesGroups: token.groups !== null,
      reach: 'granted',
      token: bound,
      makerId: makerId ?? undefined,
      policy: { uses: new Set(uses), ...token.limits, ownerWrites: permissions.has('write') },
      tokenId: token.id,
      allowance,
    });
  }

  /**
   * Returns the grant of a key.
   * @param person the end user for whom a token acts if its key has none
   * @throws Unauthorized, with the same message, for a key that is unknown, revoked or expired; Forbidden if the key
   * may not be used from this address.
   */
  private async grantOf(key: KeyReference, address: string, person: string | null = null): Promise<KeyGrant> {
    const grant = await this.lookUp(key, person);
    if (grant === undefined) {
      await this.restores.requireFinished(key.appId); // its keys are restored last
      this.wrongKeys.countRefused(key, address, 'ended key');
      throw new Unauthorized(REVOKED);
    }
    if (!isWithin(grant.networks, address)) {
      this.wrongKeys.countRefused(key, address, 'not allowed from this address');
      throw new Forbidden('The API key is not allowed from this address');
    }
    return grant;
  }

  /**
   * Returns the grant of the key that made a token, if that is another key.
   * @param makerId null: the key itself
   * @returns undefined if the key no longer works
   */
  private async makersOf(appId: string, makerId: string | null): Promise<KeyGrant[] | undefined> {
    if (makerId === null) return [];
    const maker = await this.lookUp({ appId, id: makerId }, null);
    return maker === undefined ? undefined : [maker];
  }

  /** @returns undefined for a key that is unknown, revoked or expired */
  private async lookUp(key: KeyReference, person: string | null): Promise<KeyGrant | undefined> {
    const entry = JSON.stringify([key.id, key.appId, person]);
    countLookup('api_keys', this.known.has(entry));
    return (await this.known.fetch(entry, { context: { key, person } }))?.grant;
  }

  /**
   * Tells whether the token is ADMIN_KEY. Compares digests in constant time, so that the duration reveals neither the
   * length nor the content of ADMIN_KEY.
   */
  private isAdminKey(token: string): boolean {
    return this.adminKey !== undefined && timingSafeEqual(this.adminKey, digest(token));
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
