import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Forbidden, Unauthorized } from '../errors/index.js';
import { countLookup } from '../telemetry/metrics.js';
import { looksLikeBrowserToken, readBrowserToken, TOKEN_PURPOSE } from './browser-token.js';
import { readApiKey, WrongKey, type KeyReference } from './api-key.js';
import { KeyRepository, type KeyGrant } from './key.repository.js';
import { isWithin } from './networks.js';
import { DEFAULT_TENANT, scopeOf, type Scope } from './scope.js';
import { SigningSecret } from './signing-secret.js';
import { WrongKeys } from './wrong-keys.js';

/** Lifetime of a cached grant in milliseconds. It is short because a revocation must take effect within a second. */
export const LIVENESS_TTL_MS = 500;

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/** The key of a grant, and the end user for whom a token of the key acts. */
interface GrantQuestion {
  readonly key: KeyReference;
  readonly person: string | null;
}

/** Authenticates a request by its `Authorization` header. */
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
   * @param address of the client
   * @throws Unauthorized with a reason that reveals nothing about other keys; Forbidden if the key may not be used from
   *   this address; TooManyRequests after too many wrong keys, see {@link WrongKeys}.
   */
  async authenticate(authorization: string | undefined, address: string): Promise<Scope> {
    if (this.settings.AUTH_MODE === 'none') return scopeOf(DEFAULT_TENANT, ['admin'], 'none');
    if (authorization === undefined) {
      throw new Unauthorized('No API key: send it as "Authorization: Bearer <API_KEY>"');
    }
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined) {
      throw new Unauthorized('The Authorization header is malformed: expected "Bearer <API_KEY>"');
    }
    return this.identify(token, address);
  }

  /**
   * Returns the scope of a key without the `Authorization` scheme before it. Throws the same errors as {@link
   * authenticate}.
   */
  async identify(token: string, address: string): Promise<Scope> {
    if (this.settings.AUTH_MODE === 'none') return scopeOf(DEFAULT_TENANT, ['admin'], 'none');
    if (this.isAdminKey(token)) return scopeOf(DEFAULT_TENANT, ['admin'], 'admin-key');
    try {
      return await this.scopeOfKey(token, address);
    } catch (error) {
      if (error instanceof WrongKey) this.wrongKeys.count(address);
      throw error;
    }
  }

  private async scopeOfKey(token: string, address: string): Promise<Scope> {
    if (looksLikeBrowserToken(token)) return this.scopeOfToken(token, address);
    const key = await this.secret.verify((secret) => readApiKey(token, secret));
    const grant = await this.grantOf(key, address);
    return scopeOf(key.appId, grant.permissions, key.id, grant);
  }

  /** Returns the scope of a browser token. The token has only those of its permissions that its key still has. */
  private async scopeOfToken(text: string, address: string): Promise<Scope> {
    const token = await this.secret.verify((secret) => readBrowserToken(text, secret), TOKEN_PURPOSE);
    const { key, bound } = token;
    const grant = await this.grantOf(key, address, token.endUserId);
    const owner = scopeOf(key.appId, grant.permissions, key.id, grant);
    const permissions = token.permissions.filter((permission) => owner.permissions.has(permission));
    const endUserId = owner.endUserId ?? token.endUserId;
    const { shards, groups } = grant;
    return scopeOf(key.appId, permissions, key.id, { shards, endUserId, groups, token: bound });
  }

  /**
   * Returns the grant of a key.
   * @param person the end user for whom a token acts if its key has none
   * @throws Unauthorized, with the same message, for a key that is unknown, revoked or expired; Forbidden if the key
   * may not be used from this address.
   */
  private async grantOf(key: KeyReference, address: string, person: string | null = null): Promise<KeyGrant> {
    const entry = JSON.stringify([key.id, key.appId, person]);
    countLookup('api_keys', this.known.has(entry));
    const { grant } = (await this.known.fetch(entry, { context: { key, person } })) ?? {};
    if (grant === undefined) throw new Unauthorized('The API key was revoked');
    if (!isWithin(grant.networks, address)) {
      throw new Forbidden('The API key is not allowed from this address');
    }
    return grant;
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
