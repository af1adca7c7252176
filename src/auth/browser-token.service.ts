import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { Forbidden, Invalid, NotFound } from '../errors/index.js';
import { signBrowserToken, TOKEN_PERMISSIONS, TOKEN_PURPOSE } from './browser-token.js';
import { KeyRepository } from './key.repository.js';
import { expiryAfter } from './key.service.js';
import { actingEndUser } from '../access/principal.js';
import { scopeOf, type DocumentBound, type Permission, type Scope } from './scope.js';
import { SigningSecret } from './signing-secret.js';

export interface NewBrowserToken {
  /** null gives the token all permissions of the key that tokens can have ({@link TOKEN_PERMISSIONS}). */
  readonly permissions: readonly Permission[] | null;
  readonly endUserId: string | null;
  readonly bound: DocumentBound;
  readonly lifetimeSeconds: number;
}

export interface IssuedBrowserToken {
  readonly token: string;
  readonly permissions: readonly Permission[];
  readonly endUserId: string | null;
  readonly expiresAt: Date;
}

/**
 * Issues short-lived tokens for browsers. Tokens are not stored. A token works until it expires or its key stops
 * working.
 */
@Injectable()
export class BrowserTokenService {
  private readonly signingKey: Uint8Array;

  constructor(
    private readonly keys: KeyRepository,
    secret: SigningSecret,
  ) {
    this.signingKey = secret.derive(TOKEN_PURPOSE);
  }

  /**
   * Makes a token for a key. The caller must be an administrator of the key's tenant, or use the key itself. The token
   * carries at most what the caller may do and see: a caller who acts for a person makes tokens for this person only.
   * @throws Forbidden for any other caller, and if the key or the caller belongs to another end user; NotFound for a key
   * that is unknown, revoked or expired; Invalid for permissions that the key does not have.
   */
  async issue(scope: Scope, keyId: string, given: NewBrowserToken): Promise<IssuedBrowserToken> {
    const { appId } = scope;
    const id = keyId.toLowerCase();
    if (!scope.permissions.has('admin') && scope.keyId !== id) {
      throw new Forbidden('A key without the permission "admin" can create tokens only for itself');
    }
    const grant = isUuid(id) ? await this.keys.grantOf({ appId, id }) : undefined;
    if (grant === undefined) throw new NotFound('Key not found');
    const owner = scopeOf(appId, grant.permissions, id, grant);
    const endUserId = personOf(scope, actingEndUser(owner, given.endUserId, ['body', 'end_user_id']));
    const permissions =
      given.permissions ?? TOKEN_PERMISSIONS.filter((permission) => owner.permissions.has(permission));
    const more = permissions.filter(
      (permission) => !owner.permissions.has(permission) || !scope.permissions.has(permission),
    );
    if (more.length > 0 || permissions.length === 0) {
      throw Invalid.at(
        ['body', 'scopes'],
        `Value error, the key has no permission "${more.join('", "') || 'read" or "query'}"`,
      );
    }
    const asked = expiryAfter(given.lifetimeSeconds);
    const expiresAt = grant.expiresAt !== null && grant.expiresAt < asked ? grant.expiresAt : asked;
    const key = { appId, id };
    const token = await signBrowserToken(
      {
        id: randomUUID(),
        key,
        permissions,
        endUserId,
        bound: given.bound,
        makerId: isUuid(scope.keyId) && scope.keyId !== id ? scope.keyId : null,
      },
      expiresAt,
      this.signingKey,
    );
    return { token, permissions, endUserId, expiresAt };
  }
}

/**
 * Returns the person for whom a token acts.
 * @param endUserId the person of the key or of the request; null: the token acts for nobody
 * @throws Forbidden if the caller acts for another person
 */
function personOf({ reach, endUserId: maker }: Scope, endUserId: string | null): string | null {
  if (reach === 'all') return endUserId;
  if (endUserId === null || endUserId === maker) return maker;
  throw new Forbidden(
    'A token sees at most what its maker sees: this key makes tokens for its own person only',
  );
}
