import { hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/settings.js';
import { StartRefused } from '../errors/index.js';
import { WrongKey } from './api-key.js';

/**
 * The secret that signs API keys (JWT_SECRET). Other signatures use keys that are derived from the secret, so that a
 * signature made for one purpose is invalid for another. While the secret is being replaced, JWT_SECRET_PREVIOUS still
 * verifies signatures and decrypts ciphertexts, but new ones use JWT_SECRET.
 */
export class SigningSecret {
  /** The current secret, followed by the previous one if it is set. */
  private readonly secrets: readonly [Uint8Array, ...Uint8Array[]];

  constructor(secret: string, previous?: string) {
    const encoder = new TextEncoder();
    this.secrets = [
      encoder.encode(secret),
      ...(previous === undefined || previous === secret ? [] : [encoder.encode(previous)]),
    ];
  }

  /**
   * Loads JWT_SECRET. If it is not set, loads the secret in DATA_DIR/jwt-secret, which the first start creates.
   * @throws StartRefused if the secret in the file is too short, because anyone who guesses the secret can sign keys.
   */
  static async load(settings: Settings): Promise<SigningSecret> {
    const secret = settings.JWT_SECRET ?? (await readOrCreate(settings.DATA_DIR));
    return new SigningSecret(secret, settings.JWT_SECRET_PREVIOUS);
  }

  /** Returns the secret that signs new API keys. */
  forApiKeys(): Uint8Array {
    return this.secrets[0];
  }

  /** Derives 32 bytes of the current secret for one purpose, such as `download-url` (HKDF-SHA256, RFC 5869). */
  derive(purpose: string): Uint8Array {
    return derived(this.secrets[0], purpose);
  }

  /**
   * Runs `work`, which verifies a signature, with the current secret. If another secret made the signature, runs `work`
   * again with the previous secret.
   * @param work throws WrongKey if another secret made the signature
   * @param purpose the purpose that {@link derive} was called with for the signing key; null if the secret itself is
   * the signing key
   */
  async verify<T>(work: (secret: Uint8Array) => Promise<T>, purpose: string | null = null): Promise<T> {
    const keys = purpose === null ? this.secrets : this.deriveAll(purpose);
    for (const [at, key] of keys.entries()) {
      try {
        return await work(key);
      } catch (error) {
        if (at === keys.length - 1 || !(error instanceof WrongKey)) throw error;
      }
    }
    throw new Error('there is no signing secret');
  }

  /** Derives the bytes for one purpose from each secret. The bytes from the current secret come first. */
  deriveAll(purpose: string): Uint8Array[] {
    return this.secrets.map((secret) => derived(secret, purpose));
  }
}

function derived(secret: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
}

/** Minimum length of the secret in DATA_DIR/jwt-secret; the same as for JWT_SECRET. */
const MIN_BYTES = 32;

async function readOrCreate(folder: string): Promise<string> {
  const path = join(folder, 'jwt-secret');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const secret = (await present(path)) ?? (await create(path));
  if (Buffer.byteLength(secret) >= MIN_BYTES) return secret;
  throw new StartRefused(
    `${path} is shorter than ${MIN_BYTES} bytes: remove the file, and the service creates a new one`,
  );
}

async function present(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Writes a temporary file and links it to the path. The file at the path is therefore complete or absent, and if
 * several processes create it, the first one wins.
 */
async function create(path: string): Promise<string> {
  const written = `${path}.${randomUUID()}`;
  await writeFile(written, randomBytes(48).toString('base64url'), { flag: 'wx', mode: 0o600, flush: true });
  try {
    await link(written, path);
  } catch (error) {
    // Fallback for file systems without hard links.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rename(written, path);
  } finally {
    await rm(written, { force: true });
  }
  return (await readFile(path, 'utf8')).trim();
}
