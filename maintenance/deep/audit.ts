import sql from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { CHAINED_COLUMNS, type ChainedEntry, hashOf, NO_HASH } from '../../src/auth/audit/chain.js';
import { run } from '../../src/database/run.js';
import { check, type Check } from './check.js';
import { Collected } from './found.js';

/** Seals per statement. */
const BATCH = 5_000;

/** Where the chain of a tenant is broken. */
interface Break {
  readonly appId: string;
  readonly position: string | null;
  readonly entryId: string;
  readonly what: string;
}

/** A seal with its entry. */
type Link = { readonly position: string; readonly hash: string; readonly sealed_id: string } & (
  ChainedEntry | Gone
);

/** The members of an entry that is gone. */
type Gone = { readonly [Member in keyof ChainedEntry]: null };

/** Checks the chain of the audit log, from the oldest entry to the newest. Examples begin with the first broken entry. */
export const AUDIT_CHECKS: readonly Check[] = [
  check<Break>({
    name: 'audit log',
    rule: 'Each entry of the audit log is as it was when it was chained',
    remedy:
      'Compare with an earlier export of the log: somebody with access to the database has changed or deleted entries',
    async find({ dataSource }, _, limit) {
      const found = new Collected<Break>(limit);
      for (const appId of await loggedTenants(dataSource)) {
        for await (const broken of breaksOf(dataSource, appId)) found.add(broken);
      }
      return found;
    },
    describe: ({ appId, position, entryId, what }) =>
      `${appId}: entry ${entryId}${position === null ? '' : ` at position ${position}`} ${what}`,
  }),
];

/** Finds each tenant by one step in the index, because the log has many entries for each. */
async function loggedTenants(dataSource: DataSource): Promise<string[]> {
  const rows = await run<{ appId: string }>(
    dataSource,
    sql`with recursive logged as (
          (select app_id from audit_log order by app_id limit 1)
          union all
          select (select e.app_id from audit_log e where e.app_id > logged.app_id order by e.app_id limit 1)
          from logged where logged.app_id is not null),
        sealed as (
          (select app_id from audit_seals order by app_id limit 1)
          union all
          select (select s.app_id from audit_seals s where s.app_id > sealed.app_id order by s.app_id limit 1)
          from sealed where sealed.app_id is not null)
        select app_id as "appId" from logged where app_id is not null
        union select app_id from sealed where app_id is not null order by 1`,
  );
  return rows.map(({ appId }) => appId);
}

async function* breaksOf(dataSource: DataSource, appId: string): AsyncGenerator<Break, void> {
  let expected = 1n;
  let previous: string | undefined = NO_HASH;
  for (;;) {
    const links = await linksFrom(dataSource, appId, expected);
    for (const { position, hash, sealed_id: entryId, ...entry } of links) {
      const at = { appId, position, entryId };
      if (BigInt(position) !== expected) {
        previous = await cutBefore(dataSource, appId, BigInt(position) - 1n);
        if (previous === undefined || expected > 1n) {
          yield { ...at, what: `follows position ${expected - 1n}: the entries between are gone` };
        }
      }
      if (entry.entry_id === null) yield { ...at, what: 'is gone' };
      else if (previous !== undefined && hashOf(previous, entry) !== hash) {
        yield { ...at, what: `(${entry.action}, ${entry.logged_at}) is not as it was chained` };
      }
      previous = hash;
      expected = BigInt(position) + 1n;
    }
    if (links.length < BATCH) break;
  }
  for (const { entryId, loggedAt } of await unsealed(dataSource, appId)) {
    yield { appId, position: null, entryId, what: `of ${loggedAt.toISOString()} was never chained` };
  }
}

function linksFrom(dataSource: DataSource, appId: string, position: bigint): Promise<Link[]> {
  return run<Link>(
    dataSource,
    sql`select s.position::text as position, s.hash, s.entry_id::text as sealed_id, ${CHAINED_COLUMNS}
        from audit_seals s left join audit_log e on e.app_id = ${appId} and e.entry_id = s.entry_id
        where s.app_id = ${appId} and s.position >= ${String(position)}::bigint
        order by s.position limit ${BATCH}`,
  );
}

/**
 * Returns the hash at the position up to which an operator has deleted entries (`lectern audit --cut-before`). The chain
 * itself has the entry that says so.
 * @returns undefined if no entry says so
 */
async function cutBefore(
  dataSource: DataSource,
  appId: string,
  position: bigint,
): Promise<string | undefined> {
  const cuts = await run<{ subject: string }>(
    dataSource,
    sql`select e.subject from audit_log e
        where e.app_id = ${appId} and e.action = 'audit.cut' and e.subject like ${`position=${position} %`}`,
  );
  return cuts.map(({ subject }) => /hash=([0-9a-f]{64})/.exec(subject)?.[1]).at(-1);
}

/** Entries older than an hour that no sweep has sealed. */
function unsealed(
  dataSource: DataSource,
  appId: string,
): Promise<{ readonly entryId: string; readonly loggedAt: Date }[]> {
  return run(
    dataSource,
    sql`select e.entry_id::text as "entryId", e.logged_at as "loggedAt" from audit_log e
        where e.app_id = ${appId} and e.logged_at < statement_timestamp() - interval '1 hour'
          and not exists (select s.position from audit_seals s where s.app_id = ${appId} and s.entry_id = e.entry_id)
        order by e.entry_id limit 1000`,
  );
}
