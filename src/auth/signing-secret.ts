import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/settings.js';

/**
 * The secret that signs API keys (JWT_SECRET). Anything else that is signed uses a key derived from it, so that a
 * signature made for one purpose never passes for another.
 */
export class SigningSecret {
  private readonly secret: Uint8Array;

  constructor(secret: string) {
    this.secret = new TextEncoder().encode(secret);
  }

  /** JWT_SECRET, or the one in DATA_DIR/jwt-secret, which is made on the first start. */
  static async load(settings: Settings): Promise<SigningSecret> {
    return new SigningSecret(settings.JWT_SECRET ?? (await readOrCreate(settings.DATA_DIR)));
  }

  forApiKeys(): Uint8Array {
    return this.secret;
  }

  /** 32 bytes for one purpose, such as `download-url` (HKDF-SHA256, RFC 5869). */
  derive(purpose: string): Uint8Array {
    return new Uint8Array(hkdfSync('sha256', this.secret, '', purpose, 32));
  }
}

async function readOrCreate(folder: string): Promise<string> {
  const path = join(folder, 'jwt-secret');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await writeFile(path, randomBytes(48).toString('base64url'), { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return (await readFile(path, 'utf8')).trim();
}
