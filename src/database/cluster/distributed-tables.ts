import sql from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { StartRefused } from '../../errors/index.js';
import { changeSchema } from '../migrate.js';
import { run, type Queryable } from '../run.js';
import { distributedTables } from './cluster.js';

/**
 * Tables that are on every node, each of them whole: those that rows of tenants refer to.
 */
const EVERYWHERE = ['apps'];

/**
 * Tables with rows of tenants that stay on the coordinator as they are: they are asked before the tenant is known to be
 * good, or for all tenants at once.
 */
const ON_COORDINATOR = [
  'api_keys',
  'idempotency_keys',
  'ingestion_jobs',
  'ingestion_turns',
  'object_removals',
  'operation_log',
  'rate_limits',
];

/** Those of them that are written in one transaction with tables that are distributed. */
const WRITTEN_TOGETHER = ['idempotency_keys', 'ingestion_jobs', 'object_removals'];

/**
 * Citus commits a transaction over one node in one step, and does not look at what it changes in ordinary tables of the
 * coordinator: a crash in between would keep the one and lose the other. A change of a table that Citus knows makes it
 * two-phase: a trigger makes one that changes no row.
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

/** Functions that triggers on the nodes call, and that Citus does not find by itself. */
const FUNCTIONS = ['metadata_order_of(jsonb,jsonb)'];

/** How long the change waits for the tables at a time; meanwhile other statements wait behind it. */
const LOCK_WAIT_MS = 3_000;
const LOCK_TRIES = 40;

/** A statement that waits this long for tables that are being distributed is ended; its caller is told to come again. */
const WAITER_PATIENCE = '1 second';
const LOOK_FOR_WAITERS_MS = 500;

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/**
 * Moves tables to the nodes in one transaction, those that stay in their places around them.
 * @param shards over which tenants are spread, where there are none yet
 * @throws StartRefused when others do not let go of the tables; then nothing has changed.
 */
export async function moveTables(
  dataSource: DataSource,
  tables: readonly string[],
  shards: number,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await changeSchema(dataSource, (manager) => moveNow(dataSource, manager, tables, shards));
      return;
    } catch (error) {
      const { code } = error as { readonly code?: string };
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) throw error;
      if (tries === LOCK_TRIES) {
        throw new StartRefused(
          'The tables are in use by transactions that do not end: try again, or stop the service for this',
          {
            cause: error,
          },
        );
      }
    }
  }
}

async function moveNow(
  dataSource: DataSource,
  manager: EntityManager,
  tables: readonly string[],
  shards: number,
): Promise<void> {
  const all = await tenantTables(manager);
  await manager.query(`set local lock_timeout = ${LOCK_WAIT_MS}`);
  await manager.query(
    `lock table ${[...EVERYWHERE, ...ON_COORDINATOR, ...all].join(', ')} in access exclusive mode`,
  );
  await manager.query('set local lock_timeout = 0');
  await endingWaiters(dataSource, manager, async () => {
    await manager.query('set local citus.enable_unsafe_triggers = on');
    await manager.query(`set local citus.shard_count = ${shards}`);
    const known = await knownTables(manager);
    const moving = [...EVERYWHERE, ...tables].filter((name) => !known.has(name));
    const keys = await dropForeignKeys(manager, moving);
    const definitions = [
      ...(await dropSlowIndexes(manager, tables)),
      ...(await dropTriggers(manager, tables)),
    ];
    for (const table of EVERYWHERE.filter((name) => !known.has(name))) {
      await manager.query(`select create_reference_table('${table}')`);
    }
    for (const name of FUNCTIONS) await manager.query(`select create_distributed_function('${name}')`);
    const [first] = await distributedTables(manager);
    let beside = first ?? 'none';
    for (const table of tables) {
      await manager.query(
        `select create_distributed_table('${table}', 'app_id', colocate_with => '${beside}')`,
      );
      if (beside === 'none') beside = table;
    }
    for (const statement of known.has('two_phase_commit') ? [] : TWO_PHASE_COMMIT)
      await manager.query(statement);
    for (const table of [...EVERYWHERE, ...tables].filter((name) => !known.has(name))) {
      await manager.query(`select truncate_local_data_after_distributing_table('${table}')`);
    }
    for (const definition of definitions) await manager.query(definition);
    for (const key of keys.filter(({ from }) => !ON_COORDINATOR.includes(from))) {
      await manager.query(`alter table ${key.from} add constraint ${key.name} ${key.definition}`);
    }
  });
}

/** Every table that has a tenant and stays neither on the coordinator nor goes everywhere. */
export async function tenantTables(database: Queryable): Promise<string[]> {
  const rows = await run<{ name: string }>(
    database,
    sql`select table_name as name from information_schema.columns
        where table_schema = current_schema() and column_name = 'app_id'
          and table_name <> all(${[...EVERYWHERE, ...ON_COORDINATOR]}::text[])
        order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Every table that Citus has in its metadata. */
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

/** They come back when both sides lie where they are to be, but for those of tables on the coordinator. */
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

/** Rows come into tables faster without these; they are built anew where the rows are. @returns how to make them again */
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

/** Rows that move to a node need not be written there once more. @returns how to make them again */
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
 * Statements that wait for the tables would wait longer than anybody has patience for. Their connections are ended, so
 * that whoever asked is told at once that the database is not reachable, and when to come again.
 */
async function endingWaiters(
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
    looking = looking.then(look).catch(() => undefined); // it is tried again
  }, LOOK_FOR_WAITERS_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
    await looking;
  }
}
