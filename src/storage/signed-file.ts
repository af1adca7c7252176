import { createHmac, timingSafeEqual } from 'node:crypto';

/** What the bearer of a signed URL may read, and until when. */
export interface FileGrant {
  readonly appId: string;
  readonly documentId: string;
  /** The file that the document had when the URL was made. */
  readonly fileId: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/**
 * A URL-safe token that carries the grant and its HMAC-SHA256.
 * @param signingKey 32 bytes for this purpose alone, derived from the secret that signs API keys.
 */
export function signFile(grant: FileGrant, signingKey: Uint8Array): string {
  const { appId, documentId, fileId, expiresAt } = grant;
  const payload = Buffer.from(JSON.stringify([appId, documentId, fileId, expiresAt])).toString('base64url');
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
  const [appId, documentId, fileId, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [
    string,
    string,
    string,
    number,
  ];
  return expiresAt * 1_000 > now ? { appId, documentId, fileId, expiresAt } : undefined;
}

function signature(payload: string, signingKey: Uint8Array): Buffer {
  return createHmac('sha256', signingKey).update(payload).digest();
}
