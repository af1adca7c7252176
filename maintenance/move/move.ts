import { createReadStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { DataSource } from 'typeorm';
import { AuditEntryEntity } from '../../src/auth/audit/audit-entry.entity.js';
import { AuditLog } from '../../src/auth/audit/audit-log.js';
import { DEFAULT_TENANT } from '../../src/auth/scope.js';
import { inDataFolder } from '../../src/config/data-folder.js';
import type { Settings } from '../../src/config/settings.js';
import type { Entities } from '../../src/database/data-source.js';
import { databaseFailure } from '../../src/database/failures.js';
import { migrateEmpty, requireMigrated } from '../../src/database/migrate.js';
import { LAST_MIGRATION } from '../../src/database/migrations/index.js';
import { connectDatabase } from '../../src/database/open-database.js';
import type { ObjectStore } from '../../src/storage/object-store.js';
import { StoreOwnership } from '../../src/storage/store-ownership.js';
import { withStore } from '../with-store.js';
import { Export, type MoveReport } from './export.js';
import type { ExportTotals } from './format.js';
import type { RestoreOptions } from './receiving-tenants.js';
import { planRestore, type RestorePlan } from './restore-plan.js';
import { Restore } from './restore.js';

/**
 * Writes a tenant or all tenants of an installation to a stream.
 * @param appId id of the tenant to write; null writes all tenants
 * @throws StartRefused if the tenant is unknown or the schema is not migrated.
 */
export async function exportTenants(
  settings: Settings,
  entities: Entities,
  {
    out,
    appId,
    report,
  }: { readonly out: Writable; readonly appId: string | null; readonly report: MoveReport },
): Promise<ExportTotals> {
  return withStore(settings, (store) =>
    withDatabase(settings, entities, async (database) => {
      await requireMigrated(database);
      const totals = await new Export(database, store).write(out, appId, report);
      await auditOf(database).recordCommand(appId ?? DEFAULT_TENANT, 'export', appId);
      return totals;
    }),
  );
}

interface RestoreSource {
  /** Path of a file, or a stream. */
  readonly from: string | Readable;
  readonly options: RestoreOptions;
  readonly report: MoveReport;
}

/**
 * Restores an export into an installation. An export in a file is checked as a whole before anything changes.
 * @throws StartRefused when the installation cannot take the export; DamagedExport; RefusedExport
 */
export async function restoreTenants(
  settings: Settings,
  entities: Entities,
  { from, options, report }: RestoreSource,
): Promise<ExportTotals> {
  return withStore(settings, (store) =>
    withDatabase(settings, entities, async (database) => {
      if (typeof from === 'string') {
        await planRestore(createReadStream(from), installation(database, store), options, report);
      }
      await migrateEmpty(database);
      const ownership = new StoreOwnership(settings, database, store);
      ownership.onModuleInit();
      const source = typeof from === 'string' ? createReadStream(from) : from;
      const totals = await new Restore(database, store, ownership, options).read(source, report);
      await auditOf(database).recordCommand(options.into ?? DEFAULT_TENANT, 'restore', restored(options));
      return totals;
    }),
  );
}

/**
 * Returns what a restore would write, and writes nothing.
 * @throws the errors of {@link restoreTenants}
 */
export async function previewRestore(
  settings: Settings,
  entities: Entities,
  { from, options, report }: RestoreSource,
): Promise<RestorePlan> {
  return withStore(settings, (store) =>
    withDatabase(settings, entities, (database) => {
      const source = typeof from === 'string' ? createReadStream(from) : from;
      return planRestore(source, installation(database, store), options, report);
    }),
  );
}

function installation(dataSource: DataSource, store: ObjectStore): Parameters<typeof planRestore>[1] {
  return { dataSource, schema: LAST_MIGRATION, bucket: store.bucket };
}

async function withDatabase<T>(
  settings: Settings,
  entities: Entities,
  work: (database: DataSource) => Promise<T>,
): Promise<T> {
  const database = await inDataFolder(settings, () => connectDatabase(withoutLimit(settings), entities));
  try {
    return await work(database);
  } catch (error) {
    throw databaseFailure(error) ?? error; // such as a node of a cluster that is down
  } finally {
    await database.destroy();
  }
}

/** What the audit log says of a restore. */
function restored({ into, replace }: RestoreOptions): string | null {
  const words = [into, replace ? 'replace' : null].filter((word) => word !== null);
  return words.length === 0 ? null : words.join(' ');
}

function auditOf(database: DataSource): AuditLog {
  return new AuditLog(database.getRepository(AuditEntryEntity));
}

/** Returns settings without a statement deadline, for statements that read or write whole tables. */
function withoutLimit(settings: Settings): Settings {
  return { ...settings, DATABASE_STATEMENT_TIMEOUT_MS: 0 };
}
