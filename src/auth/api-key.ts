import { errors, jwtVerify, SignJWT } from 'jose';
import { validate as isUuid } from 'uuid';
import { Unauthorized } from '../errors/index.js';
import type { Permission } from './scope.js';

/** Which key it is. What it may do, and whether it still may, its row in the database says. */
export interface KeyReference {
  readonly appId: string;
  /** UUID of the row in `api_keys`. */
  readonly id: string;
}

export interface ApiKeyClaims extends KeyReference {
  /** For whoever looks into their key. */
  readonly permissions: readonly Permission[];
  readonly expiresAt: Date;
}

/** What was sent as a key was never one: a guess, or a key of somewhere else. */
export class WrongKey extends Unauthorized {}

const ALGORITHM = 'HS256';

/** The key as its owner gets it: a JWT with `app_id`, `scopes`, `jti`, `iat` and `exp`. */
export async function signApiKey(claims: ApiKeyClaims, secret: Uint8Array): Promise<string> {
  return new SignJWT({ app_id: claims.appId, scopes: claims.permissions })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setJti(claims.id)
    .setIssuedAt()
    .setExpirationTime(claims.expiresAt)
    .sign(secret);
}

/** @throws WrongKey when it is malformed or signed by somebody else, Unauthorized when it has expired. */
export async function readApiKey(token: string, secret: Uint8Array): Promise<KeyReference> {
  const { app_id: appId, jti: id } = await verified(token, secret);
  if (typeof appId !== 'string' || !isUuid(id)) throw new WrongKey('The API key is malformed');
  return { appId, id: String(id) };
}

async function verified(token: string, secret: Uint8Array) {
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: [ALGORITHM],
      requiredClaims: ['exp', 'jti', 'app_id'],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new Unauthorized('The API key has expired');
    if (error instanceof errors.JWSSignatureVerificationFailed)
      throw new WrongKey('The API key is not valid');
    if (error instanceof errors.JOSEError) throw new WrongKey('The API key is malformed');
    throw error;
  }
}
