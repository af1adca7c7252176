import sql from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { StartRefused } from '../../errors/index.js';
import { changeSchema } from '../migrate.js';
import { run, type Queryable } from '../run.js';
import { tablesAt } from '../tenant-tables.js';
import { distributedTables } from './cluster.js';

/** Citus reference tables. Every node has a full copy of these tables, because rows of tenants refer to their rows. */
const REFERENCE_TABLES = tablesAt('every node');

/** Tables that stay on the coordinator although their rows belong to tenants. */
const COORDINATOR_TABLES = tablesAt('coordinator');

/** Coordinator tables that are written in the same transaction as distributed tables. */
const WRITTEN_TOGETHER = ['idempotency_keys', 'ingestion_jobs', 'object_removals'];

/**
 * Forces a two-phase commit. Citus commits a transaction in one phase if it changes distributed tables on only one
 * node, even if the transaction also changes ordinary coordinator tables. After a crash, the changes on the node could
 * be committed and those on the coordinator lost, or the reverse. A statement that changes a table known to Citus
 * forces a two-phase commit. Therefore a trigger runs such a statement, which changes no row.
 */
const TWO_PHASE_COMMIT = [
  'create table if not exists two_phase_commit (id integer primary key)',
  `select citus_add_local_table_to_metadata('two_phase_commit')`,
  `create or replace function commit_in_two_phases() returns trigger language plpgsql as $$
   begin
     delete from two_phase_commit where id = 0;
     return null;
   end $$`,
  ...WRITTEN_TOGETHER.map(
    (table) => `create or replace trigger ${table}_commit after insert or update or delete on ${table}
      for each statement execute function commit_in_two_phases()`,
  ),
];

/** Functions that triggers call on the nodes. Citus does not create these functions on the nodes by itself. */
const FUNCTIONS = ['metadata_order_of(jsonb,jsonb)'];

/** Maximum wait for the table locks per attempt. It is short because other statements queue behind the waiting lock. */
const LOCK_WAIT_MS = 3_000;
const LOCK_TRIES = 40;

/**
 * Maximum time for which a statement waits for a table that is being distributed. The statement is then terminated, and
 * its caller gets an error after which it can retry.
 */
const WAITER_PATIENCE = '1 second';
const LOOK_FOR_WAITERS_MS = 500;

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/**
 * Distributes tables in one transaction.
 * @param shards number of shards when no table is distributed yet
 * @throws StartRefused if other transactions keep the tables locked; nothing has changed then.
 */
export async function distributeTables(
  dataSource: DataSource,
  tables: readonly string[],
  shards: number,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await changeSchema(dataSource, (manager) => distributeNow(dataSource, manager, tables, shards));
      return;
    } catch (error) {
      const { code } = error as { readonly code?: string };
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) throw error;
      if (tries === LOCK_TRIES) {
        throw new StartRefused(
          'Open transactions keep the tables locked: try again, or stop the service meanwhile',
          {
            cause: error,
          },
        );
      }
    }
  }
}

async function distributeNow(
  dataSource: DataSource,
  manager: EntityManager,
  tables: readonly string[],
  shards: number,
): Promise<void> {
  const all = await tenantTables(manager);
  await manager.query(`set local lock_timeout = ${LOCK_WAIT_MS}`);
  await manager.query(
    `lock table ${[...REFERENCE_TABLES, ...COORDINATOR_TABLES, ...all].join(', ')} in access exclusive mode`,
  );
  await manager.query('set local lock_timeout = 0');
  await terminatingWaiters(dataSource, manager, async () => {
    await manager.query('set local citus.enable_unsafe_triggers = on');
    await manager.query(`set local citus.shard_count = ${shards}`);
    const known = await knownTables(manager);
    const pending = [...REFERENCE_TABLES, ...tables].filter((name) => !known.has(name));
    const keys = await dropForeignKeys(manager, pending);
    const definitions = [
      ...(await dropSlowIndexes(manager, tables)),
      ...(await dropTriggers(manager, tables)),
    ];
    for (const table of REFERENCE_TABLES.filter((name) => !known.has(name))) {
      await manager.query(`select create_reference_table('${table}')`);
    }
    for (const name of FUNCTIONS) await manager.query(`select create_distributed_function('${name}')`);
    const [first] = await distributedTables(manager);
    let colocated = first ?? 'none';
    for (const table of tables) {
      await manager.query(
        `select create_distributed_table('${table}', 'app_id', colocate_with => '${colocated}')`,
      );
      if (colocated === 'none') colocated = table;
    }
    for (const statement of known.has('two_phase_commit') ? [] : TWO_PHASE_COMMIT)
      await manager.query(statement);
    for (const table of [...REFERENCE_TABLES, ...tables].filter((name) => !known.has(name))) {
      await manager.query(`select truncate_local_data_after_distributing_table('${table}')`);
    }
    for (const definition of definitions) await manager.query(definition);
    for (const key of keys.filter(({ from }) => !COORDINATOR_TABLES.includes(from))) {
      await manager.query(`alter table ${key.from} add constraint ${key.name} ${key.definition}`);
    }
  });
}

/** Returns every table with a tenant column. Omits reference tables and coordinator tables. */
export async function tenantTables(database: Queryable): Promise<string[]> {
  const rows = await run<{ name: string }>(
    database,
    sql`select table_name as name from information_schema.columns
        where table_schema = current_schema() and column_name = 'app_id'
          and table_name <> all(${[...REFERENCE_TABLES, ...COORDINATOR_TABLES]}::text[])
        order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Returns the tables that Citus knows: distributed tables, reference tables and local tables. */
async function knownTables(database: Queryable): Promise<Set<string>> {
  const rows = await run<{ name: string }>(
    database,
    sql`select logicalrelid::regclass::text as name from pg_dist_partition`,
  );
  return new Set(rows.map(({ name }) => name));
}

interface ForeignKey {
  readonly from: string;
  readonly to: string;
  readonly name: string;
  readonly definition: string;
}

/**
 * Drops the foreign keys from and to the tables.
 * @returns the definitions of the foreign keys, from which the caller restores them
 */
async function dropForeignKeys(manager: EntityManager, tables: readonly string[]): Promise<ForeignKey[]> {
  const keys = await run<ForeignKey>(
    manager,
    sql`select conrelid::regclass::text as "from", confrelid::regclass::text as "to", conname as name,
          pg_get_constraintdef(oid) as definition
        from pg_constraint where contype = 'f' and (conrelid::regclass::text = any(${tables}::text[])
          or confrelid::regclass::text = any(${tables}::text[])) order by 1, 3`,
  );
  for (const { from, name } of keys) await manager.query(`alter table ${from} drop constraint ${name}`);
  return keys;
}

/** Drops indexes that slow the copy down. They are rebuilt on the nodes. @returns the definitions of the indexes */
async function dropSlowIndexes(manager: EntityManager, tables: readonly string[]): Promise<string[]> {
  const indexes = await run<{ name: string; definition: string }>(
    manager,
    sql`select c.relname as name, pg_get_indexdef(c.oid) as definition
        from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
        where a.amname in ('gin', 'hnsw') and i.indrelid::regclass::text = any(${tables}::text[])`,
  );
  for (const { name } of indexes) await manager.query(`drop index ${name}`);
  return indexes.map(({ definition }) => definition);
}

/** Drops triggers, because triggers must not fire for rows that are copied. @returns the definitions of the triggers */
async function dropTriggers(manager: EntityManager, tables: readonly string[]): Promise<string[]> {
  const triggers = await run<{ name: string; on: string; definition: string }>(
    manager,
    sql`select quote_ident(tgname) as name, tgrelid::regclass::text as "on", pg_get_triggerdef(oid) as definition
        from pg_trigger where not tgisinternal and tgrelid::regclass::text = any(${tables}::text[])`,
  );
  for (const { name, on } of triggers) await manager.query(`drop trigger ${name} on ${on}`);
  return triggers.map(({ definition }) => definition);
}

/**
 * Runs `work`. Meanwhile terminates the connections of statements that wait too long for the locked tables. Instead of
 * waiting longer, the callers of these statements get an error with the time after which they can retry.
 */
async function terminatingWaiters(
  dataSource: DataSource,
  manager: EntityManager,
  work: () => Promise<void>,
): Promise<void> {
  const [own] = await run<{ pid: number }>(manager, sql`select pg_backend_pid() as pid`);
  let looking = Promise.resolve();
  const look = async (): Promise<void> => {
    await run(
      dataSource,
      sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and state = 'active' and query_start < clock_timestamp() - ${WAITER_PATIENCE}::interval
            and ${own?.pid} = any(pg_blocking_pids(pid)) and backend_type = 'client backend'`,
    );
  };
  const timer = setInterval(() => {
    looking = looking.then(look).catch(() => undefined); // the next interval retries
  }, LOOK_FOR_WAITERS_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
    await looking;
  }
}
