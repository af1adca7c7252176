import { Inject, Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource, QueryFailedError } from 'typeorm';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { run, type Queryable } from '../../database/run.js';
import { Sweep } from '../../database/sweep.js';
import { CHAINED_COLUMNS, type ChainedEntry, type ChainHead, hashOf, NO_HASH } from './chain.js';

const SWEEP_EVERY_MS = 10_000;

/** Entries per statement. */
const BATCH = 1_000;

/** Time before the last sealed entry in which a sweep looks for an entry whose transaction ended late. */
const LATE_MS = 60_000;

/** Before every entry. */
const EVER = '-infinity';

/** `unique_violation`: another process has sealed entries meanwhile. */
const SEALED_MEANWHILE = '23505';

/**
 * Chains the entries of the audit log, see `chain.ts`. Requests only insert their entries, without a lock, and this sweep
 * gives them their place and hash within seconds. The order of the chain is therefore the order of sealing. Processes
 * need no lock either: the key of a seal is its position, so only one of two can write the next one. The first sweep of a
 * process looks through the whole log.
 */
@Injectable()
export class AuditSealing extends Sweep {
  private since = EVER;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    private readonly dataSource: DataSource,
  ) {
    super(settings, 'cannot chain the audit log', SWEEP_EVERY_MS);
  }

  async sweep(): Promise<void> {
    const last = await sealEntries(this.dataSource, this.since);
    if (last !== EVER) this.since = new Date(Date.parse(last) - LATE_MS).toISOString();
  }
}

/**
 * Seals all entries that have no seal, or leaves them to another process that does.
 * @param since time of the first entry that may lack its seal
 * @returns time of the last entry that was sealed, or `since`
 */
export async function sealEntries(database: Queryable, since = EVER): Promise<string> {
  for (let last = since; ;) {
    const entries = await unsealed(database, last);
    try {
      for (const appId of new Set(entries.map(({ app_id }) => app_id))) {
        await sealOf(
          database,
          appId,
          entries.filter(({ app_id }) => app_id === appId),
        );
      }
    } catch (error) {
      if (isSealedMeanwhile(error)) return last;
      throw error;
    }
    last = entries.at(-1)?.logged_at ?? last;
    if (entries.length < BATCH) return last;
  }
}

/** Returns the end of the chain of a tenant; undefined if nothing of it is sealed. */
export async function headOf(database: Queryable, appId: string): Promise<ChainHead | undefined> {
  const [head] = await run<ChainHead>(
    database,
    sql`select s.position::text as position, s.hash from audit_seals s
        where s.app_id = ${appId} order by s.position desc limit 1`,
  );
  return head;
}

function isSealedMeanwhile(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  return (error.driverError as { readonly code?: unknown }).code === SEALED_MEANWHILE;
}

/** Entries of all tenants without a seal, oldest first. */
function unsealed(database: Queryable, since: string): Promise<ChainedEntry[]> {
  return run<ChainedEntry>(
    database,
    sql`select ${CHAINED_COLUMNS} from audit_log e
        where e.logged_at >= ${since}::timestamptz
          and not exists (select s.position from audit_seals s where s.app_id = e.app_id and s.entry_id = e.entry_id)
        order by e.logged_at, e.entry_id limit ${BATCH}`,
  );
}

async function sealOf(database: Queryable, appId: string, entries: readonly ChainedEntry[]): Promise<void> {
  const head = await headOf(database, appId);
  let position = BigInt(head?.position ?? 0);
  let hash = head?.hash ?? NO_HASH;
  const seals = entries.map((entry) => {
    position += 1n;
    hash = hashOf(hash, entry);
    return { position: String(position), id: entry.entry_id, hash };
  });
  await run(
    database,
    sql`insert into audit_seals (app_id, position, entry_id, hash)
        select ${appId}, s.position, s.entry_id, s.hash
        from unnest(${seals.map((seal) => seal.position)}::bigint[], ${seals.map(({ id }) => id)}::bigint[],
          ${seals.map((seal) => seal.hash)}::text[]) as s (position, entry_id, hash)`,
  );
}
