import { Logger } from '@nestjs/common';
import { AUDIT_EVENTS, type AuditEvent, DEFAULT_TENANT, readSettings } from '../../src/index.js';
import { placeOf, printCut, printEntries, printExport, timeOf } from './audit/printed-audit.js';
import { numberOf, parseCommandLine, UsageError } from './command.js';
import { requireDatabase } from './require-database.js';

export const USAGE = `Usage:
  lectern audit [--app TENANT] [--since TIME] [--until TIME] [--event EVENT] [--limit N] [--after PLACE] [--export]
  lectern audit --cut-before TIME [--app TENANT]

Prints the audit log as JSON lines, oldest first: action, key, person, time, address and outcome. It reads the database of
DATA_DIR or DATABASE_URL directly; an embedded database must not be in use by a service.

  --app TENANT          only entries of this tenant's keys
  --since TIME          only entries from this time on, such as 2026-01-31 or 2026-01-31T12:00:00Z
  --until TIME          only entries before this time
  --event EVENT         only entries of this event, such as key.create
  --export              prints each entry with its position and hash in the chain of its tenant, and at the end the heads
                        of the chains. Keep the heads elsewhere: they prove that no earlier entry was changed
  --limit N             prints at most N entries, and at the end of an export the place where the next page begins
  --after PLACE         the place that the previous page named
  --cut-before TIME     deletes the entries before this time, and records where the chain was cut. Needs the owner of the
                        tables
  --help                prints this help
  --version             prints the version

Entries are kept until you delete them (docs/operate/security.md).`;

const OPTIONS = {
  app: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  event: { type: 'string' },
  export: { type: 'boolean' },
  limit: { type: 'string' },
  after: { type: 'string' },
  'cut-before': { type: 'string' },
} as const;

/** `lectern audit`: prints, exports and shortens the audit log. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseCommandLine({ args: [...args], options: OPTIONS });
  const appId = values.app ?? null;
  const cutBefore = timeOf('cut-before', values['cut-before']);
  const limit = values.limit === undefined ? Infinity : numberOf('limit', values.limit, 1, 1_000_000_000);
  const selection = {
    appId,
    action: eventOf(values.event),
    since: timeOf('since', values.since),
    until: timeOf('until', values.until),
    after: placeOf(values.after),
  };
  const settings = readSettings(process.env);
  await requireDatabase(settings);
  Logger.overrideLogger(['error']); // stdout is reserved for the audit log
  const { AuditEntryEntity, AuditLog, AuditSealEntity, headOf, inDataFolder, openMigrated, sealEntries } =
    await import('../../src/parts.js');
  const database = await inDataFolder(settings, () =>
    openMigrated({ ...settings, DATABASE_STATEMENT_TIMEOUT_MS: 0 }, [AuditEntryEntity, AuditSealEntity]),
  );
  try {
    if (cutBefore !== null) {
      const { cutAuditLog } = await import('../../maintenance/index.js');
      (await cutAuditLog(database, cutBefore, appId)).forEach(printCut);
      return;
    }
    const log = new AuditLog(database.getRepository(AuditEntryEntity));
    if (values.export === true) {
      await sealEntries(database);
      await printExport(log, selection, limit, (tenant) => headOf(database, tenant));
      await log.recordCommand(appId ?? DEFAULT_TENANT, 'audit.export', args.join(' '));
    } else await printEntries(log, selection, limit);
  } finally {
    await database.destroy();
  }
}

/** @throws UsageError */
function eventOf(text: string | undefined): AuditEvent | null {
  if (text === undefined) return null;
  if (Object.hasOwn(AUDIT_EVENTS, text)) return text as AuditEvent;
  throw new UsageError(`--event must be one of ${Object.keys(AUDIT_EVENTS).join(', ')}`);
}
