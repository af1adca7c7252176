import { errors, jwtVerify, SignJWT } from 'jose';
import { validate as isUuid } from 'uuid';
import { Unauthorized } from '../errors/index.js';
import { isPermission, type Permission } from './scope.js';

/** Identity of a key. Its row in the database decides its permissions and whether it is still valid. */
export interface KeyReference {
  readonly appId: string;
  /** UUID of the row in `api_keys`. */
  readonly id: string;
}

/**
 * What a key says of itself. The row in the database decides what the key may do, but never grants more than was
 * signed. A row may come from a forged export.
 */
export interface SignedKey extends KeyReference {
  readonly permissions: readonly Permission[];
  readonly endUserId: string | null;
}

export interface ApiKeyClaims extends SignedKey {
  readonly expiresAt: Date;
}

/** Thrown for a token that was never a key of this installation: a guess, or a key of another installation. */
export class WrongKey extends Unauthorized {}

/** Thrown for a key of this installation that has expired. */
export class ExpiredKey extends Unauthorized {
  constructor(readonly key: KeyReference) {
    super('The API key has expired');
  }
}

const ALGORITHM = 'HS256';

/** Signs the key that its owner receives: a JWT with `app_id`, `scopes`, `end_user_id`, `jti`, `iat` and `exp`. */
export async function signApiKey(claims: ApiKeyClaims, secret: Uint8Array): Promise<string> {
  const person = claims.endUserId === null ? {} : { end_user_id: claims.endUserId };
  return new SignJWT({ app_id: claims.appId, scopes: claims.permissions, ...person })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setJti(claims.id)
    .setIssuedAt()
    .setExpirationTime(claims.expiresAt)
    .sign(secret);
}

/** @throws WrongKey for a malformed key or a signature made with another secret; ExpiredKey */
export async function readApiKey(token: string, secret: Uint8Array): Promise<SignedKey> {
  const { app_id: appId, jti: id, scopes, end_user_id: endUserId } = await verified(token, secret);
  if (typeof appId !== 'string' || !isUuid(id) || !Array.isArray(scopes)) {
    throw new WrongKey('The API key is malformed');
  }
  return {
    appId,
    id: String(id),
    permissions: scopes.filter(isPermission),
    endUserId: typeof endUserId === 'string' ? endUserId : null,
  };
}

async function verified(token: string, secret: Uint8Array) {
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: [ALGORITHM],
      requiredClaims: ['exp', 'jti', 'app_id'],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) {
      const { app_id: appId, jti: id } = error.payload; // the signature is verified before the time
      throw new ExpiredKey({ appId: String(appId), id: String(id) });
    }
    if (error instanceof errors.JWSSignatureVerificationFailed)
      throw new WrongKey('The API key is not valid');
    if (error instanceof errors.JOSEError) throw new WrongKey('The API key is malformed');
    throw error;
  }
}
