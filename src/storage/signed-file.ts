import { createHmac, timingSafeEqual } from 'node:crypto';

/** Permission of a signed URL to read one file until it expires. */
export interface FileGrant {
  readonly appId: string;
  readonly documentId: string;
  /** Id of the file that the document had when the URL was signed. */
  readonly fileId: string;
  /** Who signed the URL, in a form that the caller of this module chooses. */
  readonly holder: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** Number of members of a signed grant. */
const MEMBERS = 5;

/**
 * Returns a URL-safe token with the grant and its HMAC-SHA256.
 * @param signingKey 32 bytes derived for this purpose from the secret that signs API keys
 */
export function signFile(grant: FileGrant, signingKey: Uint8Array): string {
  const { appId, documentId, fileId, holder, expiresAt } = grant;
  const members = [appId, documentId, fileId, holder, expiresAt];
  const payload = Buffer.from(JSON.stringify(members)).toString('base64url');
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
  const members = JSON.parse(Buffer.from(payload, 'base64url').toString()) as readonly unknown[];
  if (members.length !== MEMBERS) return undefined; // signed by a version whose URLs did not say who signed them
  const [appId, documentId, fileId, holder, expiresAt] = members as [string, string, string, string, number];
  return expiresAt * 1_000 > now ? { appId, documentId, fileId, holder, expiresAt } : undefined;
}

function signature(payload: string, signingKey: Uint8Array): Buffer {
  return createHmac('sha256', signingKey).update(payload).digest();
}
