import { createHash, randomBytes } from 'node:crypto';
import { parse as parseUuid } from 'uuid';

const ID_BYTES = 16;
const SECRET_BYTES = 32;

/** What a code or a cookie consists of: a tenant, an id in it, and a secret, of which the service stores the hash. */
export interface Code {
  readonly appId: string;
  /** A UUID in its canonical form. */
  readonly id: string;
  readonly hash: Buffer;
}

/** Makes a code with a new secret. */
export function newCode(appId: string, id: string): { readonly text: string; readonly hash: Buffer } {
  const secret = randomBytes(SECRET_BYTES);
  const text = Buffer.concat([parseUuid(id), secret, Buffer.from(appId)]).toString('base64url');
  return { text, hash: hashOf(secret) };
}

/** @returns null for a text that is no code */
export function readCode(text: string): Code | null {
  const bytes = Buffer.from(text, 'base64url');
  const secret = bytes.subarray(ID_BYTES, ID_BYTES + SECRET_BYTES);
  const appId = bytes.subarray(ID_BYTES + SECRET_BYTES).toString();
  if (appId === '' || appId.includes('\0')) return null;
  const id = bytes
    .toString('hex', 0, ID_BYTES)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { appId, id, hash: hashOf(secret) };
}

function hashOf(secret: Buffer): Buffer {
  return createHash('sha256').update(secret).digest();
}
