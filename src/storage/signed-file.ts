import { createHmac, timingSafeEqual } from 'node:crypto';

/** What the bearer of a signed URL may read, until when, and how it is delivered. */
export interface FileGrant {
  readonly appId: string;
  readonly key: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
  readonly contentType: string;
  readonly filename: string;
}

/**
 * A URL-safe token that carries the grant and its HMAC-SHA256.
 * @param signingKey 32 bytes for this purpose alone, derived from the secret that signs API keys.
 */
export function signFile(grant: FileGrant, signingKey: Uint8Array): string {
  const { appId, key, expiresAt, contentType, filename } = grant;
  const payload = Buffer.from(JSON.stringify([appId, key, expiresAt, contentType, filename])).toString(
    'base64url',
  );
  return `${payload}.${signature(payload, signingKey).toString('base64url')}`;
}

/**
 * The grant of a token; undefined when it was not signed here, was changed, or has expired: the caller answers all of
 * them alike. The signature is compared in constant time, before anything else is read.
 */
export function verifyFile(token: string, signingKey: Uint8Array, now = Date.now()): FileGrant | undefined {
  const [payload = '', signed = '', ...more] = token.split('.');
  const expected = signature(payload, signingKey);
  const given = Buffer.from(signed, 'base64url');
  if (more.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
    return undefined;
  const [appId, key, expiresAt, contentType, filename] = JSON.parse(
    Buffer.from(payload, 'base64url').toString(),
  ) as [string, string, number, string, string];
  return expiresAt * 1_000 > now ? { appId, key, expiresAt, contentType, filename } : undefined;
}

function signature(payload: string, signingKey: Uint8Array): Buffer {
  return createHmac('sha256', signingKey).update(payload).digest();
}
