import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose';
import { validate as isUuid } from 'uuid';
import { Unauthorized } from '../errors/index.js';
import { WrongKey, type KeyReference } from './api-key.js';
import { isPermission, type DocumentBound, type Permission } from './scope.js';

/**
 * A short-lived token for a browser. The token acts for a key, may have fewer permissions than the key, and stops
 * working when the key does.
 */
export interface BrowserToken {
  readonly id: string;
  readonly key: KeyReference;
  readonly permissions: readonly Permission[];
  readonly endUserId: string | null;
  readonly bound: DocumentBound;
  /** Id of the administrator's key that made the token for another key, and with which the token ends too. */
  readonly makerId: string | null;
}

export const TOKEN_PERMISSIONS = ['read', 'query'] as const satisfies readonly Permission[];

/** Purpose for which `SigningSecret.derive` derives the signing key of tokens. */
export const TOKEN_PURPOSE = 'browser-token';

const TYPE = 'lectern-browser+jwt';
const ALGORITHM = 'HS256';

/**
 * Signs a token.
 *
 * @param secret the secret derived for tokens. It differs from the secret of API keys, so that code that reads API keys
 * rejects tokens.
 */
export async function signBrowserToken(
  { id, key, permissions, endUserId, bound, makerId }: BrowserToken,
  expiresAt: Date,
  secret: Uint8Array,
): Promise<string> {
  const { folder, filter } = bound;
  const made = makerId === null ? {} : { made_by: makerId };
  return new SignJWT({
    token_id: id,
    app_id: key.appId,
    scopes: permissions,
    end_user_id: endUserId,
    folder,
    filter,
    ...made,
  })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
    .setJti(key.id)
    .setIssuedAt()
    .setExpirationTime(expiresAt)
    .sign(secret);
}

/** Tells whether a text has the form of a browser token instead of an API key. Does not verify the signature. */
export function looksLikeBrowserToken(token: string): boolean {
  try {
    return decodeProtectedHeader(token).typ === TYPE;
  } catch {
    return false; // not a JWT
  }
}

/** Verifies and reads a token. @throws WrongKey for a forged token, Unauthorized for an expired token. */
export async function readBrowserToken(token: string, secret: Uint8Array): Promise<BrowserToken> {
  const claims = await verified(token, secret);
  const {
    app_id: appId,
    jti: id,
    scopes,
    end_user_id: endUserId,
    folder,
    filter,
    made_by: makerId,
    token_id: tokenId,
  } = claims;
  const isMade = makerId === undefined || isUuid(makerId);
  if (typeof appId !== 'string' || !isUuid(id) || !Array.isArray(scopes) || !isMade) {
    throw new WrongKey('The token is malformed');
  }
  return {
    id: textOr(tokenId) ?? '',
    key: { appId, id: String(id) },
    permissions: scopes.filter(isPermission),
    endUserId: textOr(endUserId),
    bound: { folder: textOr(folder), filter: textOr(filter) },
    makerId: textOr(makerId),
  };
}

function textOr(claim: unknown): string | null {
  return typeof claim === 'string' ? claim : null;
}

async function verified(token: string, secret: Uint8Array) {
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: [ALGORITHM],
      typ: TYPE,
      requiredClaims: ['exp', 'jti', 'app_id'],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new Unauthorized('The token has expired');
    if (error instanceof errors.JOSEError) throw new WrongKey('The token is not valid');
    throw error;
  }
}
