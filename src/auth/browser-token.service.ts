import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { Forbidden, Invalid, NotFound } from '../errors/index.js';
import { signBrowserToken, TOKEN_PURPOSE, type TokenLimits } from './browser-token.js';
import { KeyRepository } from './key.repository.js';
import { expiryAfter } from './key.service.js';
import { actingEndUser } from '../access/principal.js';
import { scopeOf, type DocumentBound, type Scope } from './scope.js';
import { SigningSecret } from './signing-secret.js';
import { DEFAULT_USES, TOKEN_USES, type TokenUse } from './token-policy.js';

export interface NewBrowserToken {
  /** null: those of {@link DEFAULT_USES} that the key permits. */
  readonly uses: readonly TokenUse[] | null;
  readonly endUserId: string | null;
  /** null: the groups of the person. */
  readonly groups: readonly string[] | null;
  readonly bound: DocumentBound;
  readonly limits: TokenLimits;
  readonly lifetimeSeconds: number;
}

export interface IssuedBrowserToken {
  readonly token: string;
  readonly uses: readonly TokenUse[];
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
   * that is unknown, revoked or expired; Invalid for uses that the permissions of the key or of the caller do not cover.
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
    requireOwnGroups(scope, owner, given.groups);
    const uses = usesWithin([owner, scope], given.uses);
    requirePerson(uses, endUserId);
    const asked = expiryAfter(given.lifetimeSeconds);
    const expiresAt = grant.expiresAt !== null && grant.expiresAt < asked ? grant.expiresAt : asked;
    const key = { appId, id };
    const token = await signBrowserToken(
      {
        id: randomUUID(),
        key,
        uses,
        endUserId,
        groups: given.groups,
        bound: given.bound,
        limits: given.limits,
        makerId: isUuid(scope.keyId) && scope.keyId !== id ? scope.keyId : null,
      },
      expiresAt,
      this.signingKey,
    );
    return { token, uses, endUserId, expiresAt };
  }
}

/**
 * Returns the uses of a new token.
 * @param holders of whom each must have the permissions of all uses
 * @throws Invalid for a use whose permission a holder lacks, and if no use is left
 */
function usesWithin(
  holders: readonly Pick<Scope, 'permissions'>[],
  given: readonly TokenUse[] | null,
): readonly TokenUse[] {
  const isHeld = (use: TokenUse): boolean =>
    holders.every(({ permissions }) => permissions.has(TOKEN_USES[use]));
  const uses = given ?? DEFAULT_USES.filter(isHeld);
  const more = uses.filter((use) => !isHeld(use)).map((use) => TOKEN_USES[use]);
  if (more.length === 0 && uses.length > 0) return [...new Set(uses)];
  const lacking = [...new Set<string>(more)].join('", "') || 'read" or "query';
  throw Invalid.at(['body', 'scopes'], `Value error, the key has no permission "${lacking}"`);
}

const OF_A_PERSON: readonly TokenUse[] = ['chats', 'feedback'];

/** @throws Invalid for chats of a token without a person, which all visitors would share */
function requirePerson(uses: readonly TokenUse[], endUserId: string | null): void {
  const use = uses.find((one) => OF_A_PERSON.includes(one));
  if (use === undefined || endUserId !== null) return;
  throw Invalid.at(['body', 'scopes'], `Value error, the scope "${use}" needs an end user: set end_user_id`);
}

/** @throws Forbidden for groups in which a person who makes the token, or whose key it is, is not a member */
function requireOwnGroups(maker: Scope, owner: Scope, groups: readonly string[] | null): void {
  for (const { reach, groups: own } of [maker, owner]) {
    const other = reach === 'all' ? undefined : groups?.find((group) => !own.includes(group));
    if (other !== undefined) {
      throw new Forbidden(`body.groups: The API key belongs to somebody who is not in the group ${other}`);
    }
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
