import { Inject, Injectable } from '@nestjs/common';
import { decodeProtectedHeader, errors, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Forbidden, Unauthorized } from '../../errors/index.js';
import { WrongKey } from '../api-key.js';
import { ExpiredToken } from '../expired-token.js';
import { isPermission, type LentRights, type Permission, type Scope, scopeOf } from '../scope.js';
import { claimOf, identityOf, permissionsOf, UnusableClaims } from './identity.js';
import type { Identity } from './identity.types.js';
import { IdentityProvider } from './identity-provider.js';
import { type Member, PeopleRepository } from './people.repository.js';
import { AccessEnded, IdentifierTaken } from './people.service.js';

/** Id of the caller in rate limits, logs and links. There is no key. */
export const ACCESS_TOKEN_ID = 'access-token';

/** Algorithm of keys and browser tokens of this service. */
const OWN_ALGORITHM = 'HS256';

/** Lifetime of what is known of a person, in milliseconds. A removal from a group must take effect within a second. */
const MEMBER_TTL_MS = 500;

/** The account of an access token, and the person whom the token names. */
type Asked = Pick<Identity, 'appId' | 'subject' | 'person'>;

/** A verified access token. */
interface AccessToken {
  readonly identity: Identity;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAt: number;
}

/** Reads access tokens of the identity provider, which frontends send as Bearer credentials. */
@Injectable()
export class AccessTokens {
  private readonly members: LRUCache<string, { readonly member?: Member }, Asked>;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly provider: IdentityProvider,
    people: PeopleRepository,
  ) {
    this.members = new LRUCache({
      max: 10_000,
      ttl: MEMBER_TTL_MS,
      fetchMethod: async (_entry, _stale, { context }) => {
        const member = await people.memberOf(context);
        return member === undefined ? {} : { member };
      },
    });
  }

  /** Whether a credential has to be a token of the provider: a JWT that no secret of this service signed. */
  takes(token: string): boolean {
    if (this.settings.OIDC_AUDIENCE === undefined) return false;
    try {
      return decodeProtectedHeader(token).alg !== OWN_ALGORITHM;
    } catch {
      return false; // not a JWT
    }
  }

  /**
   * Returns the scope of a request with an access token.
   * @throws WrongKey for a token that the provider did not issue for this service; ExpiredToken;
   * Unauthorized for one that names no person; Forbidden without the required scope, if an administrator ended the person's
   * access, or if another account has the person; Unavailable while the provider's keys cannot be read
   */
  async scopeOf(text: string): Promise<Scope> {
    const { identity, scopes, expiresAt } = await this.read(text);
    const { appId, subject, name, groups } = identity;
    const member = await this.memberOf(identity);
    if (member === undefined) throw refused('The access token names a tenant that does not exist');
    if (member.isEnded) throw new AccessEnded();
    if (member.isOfAnother) throw new IdentifierTaken();
    const permissions = this.permitted(permissionsOf(identity, member.role, this.settings), scopes);
    const lent = { subject, name, groups, expiresAt };
    return { ...scopeOf(appId, permissions, ACCESS_TOKEN_ID, rightsOf(member, lent)), tokenId: subject };
  }

  /**
   * Returns the present rights of a link that an access token made.
   * @returns undefined if the token has expired, or the person lost the access
   */
  async scopeOfLent(
    appId: string,
    { endUserId, lent }: Pick<Scope, 'endUserId' | 'lent'>,
  ): Promise<Scope | undefined> {
    if (lent === undefined || endUserId === null || lent.expiresAt * 1_000 <= Date.now()) return undefined;
    const member = await this.memberOf({ appId, subject: lent.subject, person: endUserId });
    if (member === undefined || member.isEnded || member.isOfAnother) return undefined;
    return scopeOf(appId, ['read'], ACCESS_TOKEN_ID, rightsOf(member, lent));
  }

  private async memberOf({ appId, subject, person }: Asked): Promise<Member | undefined> {
    const entry = JSON.stringify([appId, subject, person]);
    return (await this.members.fetch(entry, { context: { appId, subject, person } }))?.member;
  }

  private async read(token: string): Promise<AccessToken> {
    const claims = await this.verified(token);
    if (claims['cnf'] !== undefined) {
      throw refused('The access token is bound to a key of its client, which this service does not check');
    }
    const scopes = scopesIn(claims);
    const { OIDC_REQUIRED_SCOPE: required } = this.settings;
    if (required !== undefined && !scopes.has(required)) {
      throw new Forbidden(`The access token lacks the scope ${required}`, undefined, {
        challenge: `Bearer error="insufficient_scope", scope="${printable(required)}"`,
      });
    }
    try {
      return { identity: identityOf(claims, this.settings), scopes, expiresAt: claims.exp ?? 0 };
    } catch (error) {
      if (error instanceof UnusableClaims) throw refused(`The access token cannot be used: ${error.message}`);
      throw error;
    }
  }

  /** A token has the permissions of its scopes that its person has too. */
  private permitted(owned: readonly Permission[], scopes: ReadonlySet<string>): Permission[] {
    const map = this.settings.OIDC_SCOPE_MAP;
    const all = [...scopeOf('', owned, '').permissions];
    if (map.length === 0) return all;
    const given = map.flatMap((pair) => {
      const at = pair.lastIndexOf('=');
      return scopes.has(pair.slice(0, at)) ? [pair.slice(at + 1)].filter(isPermission) : [];
    });
    const mapped = scopeOf('', given, '').permissions;
    return all.filter((permission) => mapped.has(permission));
  }

  private async verified(token: string): Promise<JWTPayload> {
    try {
      return await this.provider.verify(token);
    } catch (error) {
      if (error instanceof errors.JWTExpired) {
        const message = 'The access token has expired';
        throw new ExpiredToken(message, undefined, { challenge: challengeOf(message) });
      }
      if (error instanceof errors.JWTClaimValidationFailed) {
        throw wrong(`The access token is not valid: unexpected claim ${error.claim}`);
      }
      if (error instanceof errors.JOSEError) throw wrong('The access token is not valid');
      throw error;
    }
  }
}

function rightsOf({ shards, person, groups }: Member, lent: LentRights): Partial<Omit<Scope, 'permissions'>> {
  return { shards, endUserId: person, groups: [...new Set([...groups, ...lent.groups])].sort(), lent };
}

/** Scopes of a token: `scope` (RFC 9068), or `scp` as some providers call it. */
function scopesIn(claims: JWTPayload): ReadonlySet<string> {
  const given = claimOf(claims, 'scope') ?? claimOf(claims, 'scp');
  const texts = [given].flat().filter((one) => typeof one === 'string');
  return new Set(texts.flatMap((text) => text.split(' ')).filter((name) => name !== ''));
}

function refused(message: string): Unauthorized {
  return new Unauthorized(message, undefined, { challenge: challengeOf(message) });
}

function wrong(message: string): WrongKey {
  return new WrongKey(message, undefined, { challenge: challengeOf(message) });
}

/** The header `WWW-Authenticate` (RFC 6750, section 3). */
function challengeOf(message: string): string {
  return `Bearer error="invalid_token", error_description="${printable(message)}"`;
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]|["\\]/g, '?');
}
