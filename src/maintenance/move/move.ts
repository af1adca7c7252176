import { createReadStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { DataSource } from 'typeorm';
import { AuditEntryEntity } from '../../auth/audit/audit-entry.entity.js';
import { AuditLog } from '../../auth/audit/audit-log.js';
import { DEFAULT_TENANT } from '../../auth/scope.js';
import { inDataFolder } from '../../config/data-folder.js';
import type { Settings } from '../../config/settings.js';
import type { Entities } from '../../database/data-source.js';
import { requireMigrated } from '../../database/migrate.js';
import { connectDatabase, openDatabase } from '../../database/open-database.js';
import { StoreOwnership } from '../../storage/store-ownership.js';
import { withStore } from '../with-store.js';
import { ExportReader } from './export-reader.js';
import { Export, type MoveReport } from './export.js';
import type { ExportTotals } from './format.js';
import { Restore, type RestoreOptions } from './restore.js';

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
  return withStore(settings, async (store) => {
    const database = await inDataFolder(settings, () => connectDatabase(withoutLimit(settings), entities));
    return using(database, async () => {
      await requireMigrated(database);
      const totals = await new Export(database, store).write(out, appId, report);
      await auditOf(database).recordCommand(appId ?? DEFAULT_TENANT, 'export', appId);
      return totals;
    });
  });
}

/**
 * Restores an export into an installation. An export in a file is checked as a whole before anything changes.
 * @param from path of a file, or a stream
 * @throws StartRefused when the installation cannot take the export; DamagedExport
 */
export async function restoreTenants(
  settings: Settings,
  entities: Entities,
  {
    from,
    options,
    report,
  }: {
    readonly from: string | Readable;
    readonly options: RestoreOptions;
    readonly report: MoveReport;
  },
): Promise<ExportTotals> {
  if (typeof from === 'string') await check(createReadStream(from), report);
  return withStore(settings, async (store) => {
    const database = await inDataFolder(settings, () => openDatabase(withoutLimit(settings), entities));
    return using(database, async () => {
      const ownership = new StoreOwnership(settings, database, store);
      ownership.onModuleInit();
      const source = typeof from === 'string' ? createReadStream(from) : from;
      const totals = await new Restore(database, store, ownership, options).read(source, report);
      await auditOf(database).recordCommand(options.into ?? DEFAULT_TENANT, 'restore', options.into);
      return totals;
    });
  });
}

/** Compares all checksums of an export. @throws DamagedExport */
async function check(source: Readable, report: MoveReport): Promise<void> {
  const reader = new ExportReader(source);
  await reader.header();
  for await (const { head, payload } of reader.sections()) {
    for await (const _ of payload()) continue;
    report(head.section, 'checked');
  }
}

function auditOf(database: DataSource): AuditLog {
  return new AuditLog(database.getRepository(AuditEntryEntity));
}

async function using<T>(database: DataSource, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await database.destroy();
  }
}

/** Returns settings without a statement deadline, for statements that read or write whole tables. */
function withoutLimit(settings: Settings): Settings {
  return { ...settings, DATABASE_STATEMENT_TIMEOUT_MS: 0 };
}
