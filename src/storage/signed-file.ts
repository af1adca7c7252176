import { createHmac, timingSafeEqual } from 'node:crypto';

/** Permission of a signed URL to read one file until it expires. */
export interface FileGrant {
  readonly appId: string;
  readonly documentId: string;
  /** Id of the file that the document had when the URL was signed. */
  readonly fileId: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Returns a URL-safe token with the grant and its HMAC-SHA256.
 * @param signingKey 32 bytes derived for this purpose from the secret that signs API keys
 */
export function signFile(grant: FileGrant, signingKey: Uint8Array): string {
  const { appId, documentId, fileId, expiresAt } = grant;
  const payload = Buffer.from(JSON.stringify([appId, documentId, fileId, expiresAt])).toString('base64url');
  return `${payload}.${signature(payload, signingKey).toString('base64url')}`;
}

/**
 * Returns the grant of a token. Returns undefined for every invalid token, whether it is unsigned, changed or expired.
 * Compares the signature in constant time before it parses the grant.
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
