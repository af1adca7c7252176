import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Settings } from '../config/settings.js';
import { readApiKey, WrongKey, type KeyReference } from './api-key.js';
import type { KeyRepository } from './key.repository.js';
import type { SigningSecret } from './signing-secret.js';

/** The admin key in DATA_DIR/api-key, which commands on this machine use. */
export class KeyFile {
  readonly path: string;

  constructor({ DATA_DIR }: Pick<Settings, 'DATA_DIR'>) {
    this.path = join(resolve(DATA_DIR), 'api-key');
  }

  /**
   * Returns why the key in the file is rejected, and what to do about it. The text completes the sentence "The key in
   * FILE …". Returns null if the key works or the file does not exist.
   */
  async rejection(keys: KeyRepository, secret: SigningSecret): Promise<string | null> {
    const key = await this.read(secret);
    if (key === null) return null;
    if (key instanceof WrongKey) {
      return 'was not signed with the current JWT_SECRET, so this key and all other older keys are rejected. Restore JWT_SECRET, or create a new key';
    }
    if (key instanceof Error) return `is not usable (${key.message}). Create a new key`;
    if ((await keys.grantOf(key)) !== undefined) return null;
    return 'was revoked, or this database does not have it. Create a new key';
  }

  async write(token: string): Promise<void> {
    const { path } = this;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(`${path}.new`, `${token}\n`, { mode: 0o600, flush: true });
    await chmod(`${path}.new`, 0o600);
    await rename(`${path}.new`, path);
  }

  /**
   * Returns the key in the file, or the error that occurs when the file is read. Returns null if the file does not
   * exist.
   */
  private async read(secret: SigningSecret): Promise<KeyReference | Error | null> {
    try {
      const token = (await readFile(this.path, 'utf8')).trim();
      return await secret.verify((one) => readApiKey(token, one));
    } catch (error) {
      const failure = error as NodeJS.ErrnoException;
      return failure.code === 'ENOENT' ? null : failure;
    }
  }
}
