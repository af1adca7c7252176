import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SigningSecret } from './signing-secret.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a text with AES-256-GCM (NIST SP 800-38D) and a random nonce.
 * @param key 32 bytes, see `SigningSecret.derive`
 * @param context describes where the text belongs; not secret. {@link unseal} needs the same context, so a ciphertext
 *   that is copied to another place cannot be decrypted in that place
 * @returns nonce, tag and ciphertext in base64url
 */
export function seal(text: string, key: Uint8Array, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context));
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url');
}

/**
 * Decrypts a text that {@link seal} encrypted. Returns null if the key or the context differs, or the text was changed.
 */
export function unseal(sealed: string, key: Uint8Array, context: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const encrypted = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  try {
    return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
  } catch {
    return null; // final() throws only if the tag does not match
  }
}

/** Seals texts for one purpose, and opens them also if the previous secret has sealed them. */
export class Sealer {
  private readonly key: Uint8Array;
  /** From the current secret and from the previous one. */
  private readonly keys: readonly Uint8Array[];

  constructor(secret: SigningSecret, purpose: string) {
    this.key = secret.derive(purpose);
    this.keys = secret.deriveAll(purpose);
  }

  /** @param context as for {@link seal} */
  seal(text: string, context: string): string {
    return seal(text, this.key, context);
  }

  /** @returns null as {@link unseal} */
  open(sealed: string, context: string): string | null {
    for (const key of this.keys) {
      const text = unseal(sealed, key, context);
      if (text !== null) return text;
    }
    return null;
  }
}
