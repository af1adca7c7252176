import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isEmbedded } from './data-source.js';
import { isKnownMigration } from './former-schemas.js';
import { laterVersion } from './migrate.js';
import { migrationNames } from './recorded-migrations.js';

const EVERY_MS = 1_000;

/**
 * Stops this process when a later version has migrated the database, because the statements of this version do not fit
 * the new tables. An embedded database has one process, so nothing is watched.
 */
@Injectable()
export class SchemaWatch implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Database');
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly dataSource: DataSource) {}

  onApplicationBootstrap(): void {
    if (isEmbedded(this.dataSource)) return;
    this.timer = setInterval(() => {
      // Requests report an unavailable database. The next look may succeed.
      this.look().catch((error: unknown) => {
        this.logger.debug({ err: error }, 'cannot read the migrations of the database');
      });
    }, EVERY_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    const later = (await migrationNames(this.dataSource)).filter((name) => !isKnownMigration(name)).at(-1);
    if (later === undefined || this.timer === undefined) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.logger.error(`${laterVersion(later)}. This process ends now`);
    process.kill(process.pid, 'SIGTERM');
  }
}
