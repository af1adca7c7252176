import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { readApiKey, signApiKey, WrongKey } from './api-key.js';
import { expiryAfter } from './key.service.js';
import { KeyRepository } from './key.repository.js';
import { DEFAULT_TENANT } from './scope.js';
import { SigningSecret } from './signing-secret.js';

/** Advisory lock ("keys" as a number) that lets one of several starting processes create the first key. */
const FIRST_KEY_LOCK = 0x6b657973;

/**
 * Creates the default tenant on the first start, and an admin key in DATA_DIR/api-key unless ADMIN_KEY is set or
 * authentication is off.
 */
@Injectable()
export class FirstKey implements OnModuleInit {
  private readonly logger = new Logger('Keys');

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly dataSource: DataSource,
    private readonly keys: KeyRepository,
    private readonly secret: SigningSecret,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.keys.addTenant(DEFAULT_TENANT);
    if (this.settings.AUTH_MODE === 'none' || this.settings.ADMIN_KEY !== undefined) return;
    await this.dataSource.transaction(async (manager) => {
      await manager.query('select pg_advisory_xact_lock($1)', [FIRST_KEY_LOCK]);
      if (await this.keys.hasAny(manager)) {
        await this.warnOfUnusableFile();
        return;
      }
      const id = randomUUID();
      const claims = {
        appId: DEFAULT_TENANT,
        id,
        permissions: ['admin'] as const,
        endUserId: null,
        expiresAt: expiryAfter(),
      };
      // The file is written first: a row without its file would be a key without an owner.
      const path = await this.write(await signApiKey(claims, this.secret.forApiKeys()));
      await this.keys.insert({ ...claims, name: 'first admin key' }, manager);
      this.logger.log(`The first admin key is in ${path}`);
    });
  }

  /** Warns when the stored key no longer works. Its user would otherwise only see a 401. */
  private async warnOfUnusableFile(): Promise<void> {
    try {
      const key = (await readFile(this.path, 'utf8')).trim();
      await this.secret.verify((secret) => readApiKey(key, secret));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return;
      const reason =
        error instanceof WrongKey
          ? 'was not signed with the current JWT_SECRET, so this key and all other older keys are rejected. Restore JWT_SECRET, or create a new key'
          : `is not usable (${message}). Create a new key`;
      this.logger.warn(`The key in ${this.path} ${reason}: lectern keys create --name admin --scopes admin`);
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
