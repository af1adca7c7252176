import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { signApiKey } from './api-key.js';
import { KeyFile } from './key-file.js';
import { expiryAfter } from './key.service.js';
import { KeyRepository } from './key.repository.js';
import { recordSecret } from './recorded-secret.js';
import { DEFAULT_TENANT } from './scope.js';
import { SigningSecret } from './signing-secret.js';
import { RESTORE_REMEDY, tenantsBeingRestored } from './unfinished-restores.js';

/** Advisory lock ("keys" as a number). If several processes start at once, only its holder creates the first key. */
const FIRST_KEY_LOCK = 0x6b657973;

/**
 * Creates the default tenant on the first start, and an admin key in DATA_DIR/api-key unless ADMIN_KEY is set or
 * authentication is off.
 */
@Injectable()
export class FirstKey implements OnModuleInit {
  private readonly logger = new Logger('Keys');
  private readonly file: KeyFile;
  /** Whether the key in the file was rejected at the start. */
  isRejected = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly dataSource: DataSource,
    private readonly keys: KeyRepository,
    private readonly secret: SigningSecret,
  ) {
    this.file = new KeyFile(settings);
  }

  async onModuleInit(): Promise<void> {
    await this.keys.addTenant(DEFAULT_TENANT);
    const isOtherSecret = await recordSecret(this.dataSource, this.secret);
    if (isOtherSecret) {
      this.logger.warn(
        'JWT_SECRET is not that of the last start, so all keys and links from before are rejected. Restore it, set JWT_SECRET_PREVIOUS to it, or create new keys: lectern keys create --name admin --scopes admin',
      );
    }
    if (this.settings.AUTH_MODE === 'none' || this.settings.ADMIN_KEY !== undefined) return;
    // The keys of an export come last.
    if ((await tenantsBeingRestored(this.dataSource)).size > 0) {
      this.logger.warn(`A restore is not finished: ${RESTORE_REMEDY}`);
      return;
    }
    if (await this.createUnlessAny()) return;
    const reason = await this.file.rejection(this.keys, this.secret);
    this.isRejected = reason !== null;
    if (reason === null) return;
    this.logger.warn(
      `The key in ${this.file.path} ${reason}: lectern keys create --name admin --scopes admin`,
    );
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
      await this.file.write(await signApiKey(claims, this.secret.forApiKeys()));
      await this.keys.insert({ ...claims, name: 'first admin key' }, manager);
      this.logger.log(`The first admin key is in ${this.file.path}`);
      return true;
    });
  }
}
