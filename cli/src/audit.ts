import { Logger } from '@nestjs/common';
import { readSettings } from '../../src/index.js';
import { parseCommandLine, UsageError } from './command.js';
import { requireDatabase } from './require-database.js';
import { printJson } from './output.js';

export const USAGE = `Usage: lectern audit [--app TENANT] [--since TIME]

Prints the audit log as JSON lines, oldest first: action, key, person, time, address and outcome. It reads the database of
DATA_DIR or DATABASE_URL directly; an embedded database must not be in use by a service.

  --app TENANT          only entries of this tenant's keys
  --since TIME          only entries from this time on, such as 2026-01-31 or 2026-01-31T12:00:00Z
  --help                prints this help
  --version             prints the version

Entries are kept until you delete them (docs/operate/security.md).`;

/** `lectern audit`: exports the audit log. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseCommandLine({
    args: [...args],
    options: { app: { type: 'string' }, since: { type: 'string' } },
  });
  const since = values.since === undefined ? null : new Date(values.since);
  if (since !== null && Number.isNaN(since.getTime()))
    throw new UsageError('--since must be a date or a time');
  const settings = readSettings(process.env);
  await requireDatabase(settings);
  Logger.overrideLogger(['error']); // stdout is reserved for the audit log
  const { AuditEntryEntity, AuditLog, inDataFolder, openMigrated } = await import('../../src/parts.js');
  const database = await inDataFolder(settings, () => openMigrated(settings, [AuditEntryEntity]));
  try {
    const log = new AuditLog(database.getRepository(AuditEntryEntity));
    for await (const entry of log.all(values.app ?? null, since)) printJson(entry);
  } finally {
    await database.destroy();
  }
}
