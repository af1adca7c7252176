import sql from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { AuditEntryEntity } from '../src/auth/audit/audit-entry.entity.js';
import { AuditLog } from '../src/auth/audit/audit-log.js';
import { sealEntries } from '../src/auth/audit/audit-sealing.js';
import { run } from '../src/database/run.js';
import { StartRefused } from '../src/errors/index.js';

/** `insufficient_privilege` */
const NOT_THE_OWNER = '42501';

/** What was deleted of a tenant. */
export interface AuditCut {
  readonly appId: string;
  readonly entries: number;
  /** The last deleted position in the chain, and its hash. */
  readonly position: string;
  readonly hash: string;
}

/**
 * Deletes the entries of the audit log before a time. What is left begins at a checkpoint: an entry `audit.cut` has the
 * last deleted position and its hash, with which the chain goes on, so that `lectern doctor --deep` still checks the rest.
 * Requests that write to the log wait meanwhile.
 * @param appId null: of all tenants
 * @throws StartRefused if the role of DATABASE_URL is not the owner of the tables
 */
export async function cutAuditLog(
  database: DataSource,
  before: Date,
  appId: string | null,
): Promise<AuditCut[]> {
  try {
    return await database.transaction(async (manager) => {
      for (const table of ['audit_log', 'audit_seals']) {
        await manager.query(`alter table ${table} disable trigger ${table}_kept`);
      }
      await sealEntries(manager); // the trigger's lock keeps other processes from adding and sealing entries
      const cuts = await cutsBefore(manager, before, appId);
      for (const cut of cuts) await carryOut(manager, cut);
      await sealEntries(manager);
      for (const table of ['audit_log', 'audit_seals']) {
        await manager.query(`alter table ${table} enable trigger ${table}_kept`);
      }
      return cuts;
    });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== NOT_THE_OWNER) throw error;
    throw new StartRefused(
      'Only the owner of the tables audit_log and audit_seals deletes entries: set DATABASE_URL to that role',
      { cause: error },
    );
  }
}

/** Finds for each tenant the longest beginning of its chain whose entries are all older. */
function cutsBefore(manager: EntityManager, before: Date, appId: string | null): Promise<AuditCut[]> {
  const time = before.toISOString();
  return run<AuditCut>(
    manager,
    sql`with kept as (
          select s.app_id, min(s.position) filter (where e.logged_at >= ${time}::timestamptz) as first,
            max(s.position) as last
          from audit_seals s left join audit_log e on e.app_id = s.app_id and e.entry_id = s.entry_id
          where ${appId}::text is null or s.app_id = ${appId}
          group by s.app_id)
        select s.app_id as "appId", s.position::text as position, s.hash,
          (select count(*)::integer from audit_seals b where b.app_id = s.app_id and b.position <= s.position) as entries
        from kept k join audit_seals s on s.app_id = k.app_id and s.position = coalesce(k.first - 1, k.last)
        order by s.app_id`,
  );
}

async function carryOut(manager: EntityManager, { appId, entries, position, hash }: AuditCut): Promise<void> {
  const log = new AuditLog(manager.getRepository(AuditEntryEntity));
  await log.recordCommand(appId, 'audit.cut', `position=${position} hash=${hash} entries=${entries}`);
  await sealEntries(manager); // continues the chain before its last seal may be deleted
  await run(
    manager,
    sql`delete from audit_log e using audit_seals s
        where e.app_id = ${appId} and s.app_id = ${appId} and s.entry_id = e.entry_id
          and s.position <= ${position}::bigint`,
  );
  await run(
    manager,
    sql`delete from audit_seals where app_id = ${appId} and audit_seals.position <= ${position}::bigint`,
  );
}
