import sql from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { StartRefused } from '../../errors/index.js';
import { changeSchema } from '../migrate.js';
import { run, type Queryable } from '../run.js';
import { tablesAt } from '../tenant-tables.js';
import { distributedTables } from './cluster.js';

/** Every node has a full copy, because rows of tenants refer to them. */
const REFERENCE_TABLES = tablesAt('every node');

/** Stay on the coordinator although their rows belong to tenants. */
const COORDINATOR_TABLES = tablesAt('coordinator');

/** Coordinator tables that are written in one transaction with distributed tables. */
const WRITTEN_TOGETHER = ['idempotency_keys', 'ingestion_jobs', 'object_removals'];

/**
 * Citus commits a transaction on one node in one phase and ignores its changes to ordinary tables of the coordinator: a
 * crash in between would keep one part and lose the other. A change of a table known to Citus forces two-phase commit,
 * so a trigger makes one that changes no row.
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

/** Functions called by triggers on the nodes. Citus does not propagate them by itself. */
const FUNCTIONS = ['metadata_order_of(jsonb,jsonb)'];

/** Maximum wait for the table locks per try; other statements queue behind the wait. */
const LOCK_WAIT_MS = 3_000;
const LOCK_TRIES = 40;

/** Statements that wait this long for tables under distribution are terminated; their callers get a retryable error. */
const WAITER_PATIENCE = '1 second';
const LOOK_FOR_WAITERS_MS = 500;

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/**
 * Distributes tables in one transaction.
 * @param shards number of shards when no table is distributed yet
 * @throws StartRefused when other transactions keep the tables locked; then nothing has changed.
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

/** Returns every table with a tenant column except reference and coordinator tables. */
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

/** Returns every table in the metadata of Citus. */
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

/** Drops foreign keys of the tables. They are restored afterwards, except those of coordinator tables. */
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

/** Drops indexes that slow the copy down. They are rebuilt on the nodes. @returns their definitions */
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

/** Drops triggers, which must not fire again for copied rows. @returns their definitions */
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
 * Terminates the connections of statements that wait too long for the tables while `work` runs. Their callers learn at
 * once that the database is not reachable and when to retry.
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
