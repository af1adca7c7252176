import { errors, jwtVerify, SignJWT } from 'jose';
import { validate as isUuid } from 'uuid';
import { Unauthorized } from '../errors/index.js';
import { isPermission, type Permission } from './scope.js';

/** What an API key says about itself; it counts once its id is found alive in the database. */
export interface ApiKeyClaims {
  readonly appId: string;
  /** UUID of the row in `api_keys`. */
  readonly id: string;
  readonly permissions: readonly Permission[];
  readonly expiresAt: Date;
}

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

/** @throws Unauthorized with the reason: malformed, signed by somebody else, or expired. */
export async function readApiKey(token: string, secret: Uint8Array): Promise<ApiKeyClaims> {
  const payload = await verified(token, secret);
  const { app_id: appId, jti, exp, scopes } = payload;
  if (
    typeof appId !== 'string' ||
    typeof jti !== 'string' ||
    !isUuid(jti) ||
    typeof exp !== 'number' ||
    !Array.isArray(scopes) ||
    !scopes.every(isPermission)
  ) {
    throw new Unauthorized('The API key is malformed');
  }
  return { appId, id: jti, permissions: scopes, expiresAt: new Date(exp * 1_000) };
}

async function verified(token: string, secret: Uint8Array) {
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: [ALGORITHM],
      requiredClaims: ['exp', 'jti', 'app_id', 'scopes'],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new Unauthorized('The API key has expired');
    if (error instanceof errors.JWSSignatureVerificationFailed)
      throw new Unauthorized('The API key is not valid');
    if (error instanceof errors.JOSEError) throw new Unauthorized('The API key is malformed');
    throw error;
  }
}
