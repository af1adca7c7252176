import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { type KeyReference, readApiKey, signApiKey, WrongKey } from './api-key.js';
import { expiryAfter } from './key.service.js';
import { KeyRepository } from './key.repository.js';
import { DEFAULT_TENANT } from './scope.js';
import { SigningSecret } from './signing-secret.js';

/** Advisory lock ("keys" as a number). If several processes start at once, only its holder creates the first key. */
const FIRST_KEY_LOCK = 0x6b657973;

/**
 * Creates the default tenant on the first start, and an admin key in DATA_DIR/api-key unless ADMIN_KEY is set or
 * authentication is off.
 */
@Injectable()
export class FirstKey implements OnModuleInit {
  private readonly logger = new Logger('Keys');
  /** Whether the key in the file was rejected at the start. */
  isRejected = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly dataSource: DataSource,
    private readonly keys: KeyRepository,
    private readonly secret: SigningSecret,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.keys.addTenant(DEFAULT_TENANT);
    if (this.settings.AUTH_MODE === 'none' || this.settings.ADMIN_KEY !== undefined) return;
    if (await this.createUnlessAny()) return;
    const reason = await this.rejection();
    this.isRejected = reason !== null;
    if (reason === null) return;
    this.logger.warn(`The key in ${this.path} ${reason}: lectern keys create --name admin --scopes admin`);
  }

  /**
   * Returns why the key in the file is rejected, and what to do about it. The text completes the sentence "The key in
   * FILE …". Returns null if the key works or the file does not exist.
   */
  private async rejection(): Promise<string | null> {
    const key = await this.read();
    if (key === null) return null;
    if (key instanceof WrongKey) {
      return 'was not signed with the current JWT_SECRET, so this key and all other older keys are rejected. Restore JWT_SECRET, or create a new key';
    }
    if (key instanceof Error) return `is not usable (${key.message}). Create a new key`;
    if ((await this.keys.grantOf(key)) !== undefined) return null;
    return 'was revoked, or this database does not have it. Create a new key';
  }

  /** Creates the first key. @returns false if the database already has a key, even if that key is revoked */
  private createUnlessAny(): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      await manager.query('select pg_advisory_xact_lock($1)', [FIRST_KEY_LOCK]);
      if (await this.keys.hasAny(manager)) return false;
      const id = randomUUID();
      const claims = {
        appId: DEFAULT_TENANT,
        id,
        permissions: ['admin'] as const,
        endUserId: null,
        expiresAt: expiryAfter(),
      };
      // Writes the file before the row. In the other order, a crash in between would leave a row for a key that nobody
      // knows.
      const path = await this.write(await signApiKey(claims, this.secret.forApiKeys()));
      await this.keys.insert({ ...claims, name: 'first admin key' }, manager);
      this.logger.log(`The first admin key is in ${path}`);
      return true;
    });
  }

  /**
   * Returns the key in the file, or the error that occurs when the file is read. Returns null if the file does not
   * exist.
   */
  private async read(): Promise<KeyReference | Error | null> {
    try {
      const token = (await readFile(this.path, 'utf8')).trim();
      return await this.secret.verify((secret) => readApiKey(token, secret));
    } catch (error) {
      const failure = error as NodeJS.ErrnoException;
      return failure.code === 'ENOENT' ? null : failure;
    }
  }

  private get path(): string {
    return join(resolve(this.settings.DATA_DIR), 'api-key');
  }

  private async write(token: string): Promise<string> {
    const { path } = this;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(`${path}.new`, `${token}\n`, { mode: 0o600, flush: true });
    await chmod(`${path}.new`, 0o600);
    await rename(`${path}.new`, path);
    return path;
  }
}
