import { Client, escapeIdentifier } from 'pg';
import sql, { raw } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { StartRefused } from '../../errors/index.js';
import { SESSION_SETTINGS } from '../data-source.js';
import { changeSchema, requireVectorExtension } from '../migrate.js';
import { run, type Queryable } from '../run.js';
import { clusterNodes, distributedTables, hasCitus } from './cluster.js';

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

/** A node that cannot be reached is given up after the time that the service gives a database. */
const ROLE_SETTINGS = { ...SESSION_SETTINGS, 'citus.node_connection_timeout': '5000' };

/** Functions that triggers on the nodes call, and that Citus does not find by itself. */
const FUNCTIONS = ['metadata_order_of(jsonb,jsonb)'];

/** How long the change waits for the tables at a time; meanwhile other statements wait behind it. */
const LOCK_WAIT_MS = 3_000;
const LOCK_TRIES = 40;

/** A statement that waits this long for tables that are being distributed is ended; its caller is told to come again. */
const WAITER_PATIENCE = '1 second';
const LOOK_FOR_WAITERS_MS = 500;

export interface DistributionOptions {
  /** The service's own: `postgres://user:password@coordinator:5432/lectern`. */
  readonly url: string;
  /** `host:port` of further nodes. */
  readonly workers: readonly string[];
  /** `host:port` at which the workers reach the coordinator; unset: the one of the URL. */
  readonly coordinator: string | undefined;
  /** Shards over which tenants are spread, where there are none yet. */
  readonly shards: number;
}

/** One step from an ordinary database to a distributed one. */
export interface DistributionStep {
  /** A sentence without its full stop. */
  readonly about: string;
  readonly isDone: boolean;
}

interface Step extends DistributionStep {
  readonly take: () => Promise<void>;
}

/**
 * Brings a database to a Citus cluster: tenants over the nodes, all tables of one tenant on one node. Every step may be
 * taken again, and those that are done are passed over; the tables are distributed in one transaction.
 */
export class Distribution {
  constructor(
    private readonly dataSource: DataSource,
    private readonly options: DistributionOptions,
  ) {}

  /**
   * What there is to do, in order.
   * @throws StartRefused where it cannot be done.
   */
  async plan(): Promise<DistributionStep[]> {
    return (await this.steps()).map(({ about, isDone }) => ({ about, isDone }));
  }

  /** @throws StartRefused where it cannot be done, before anything is changed. */
  async run(onStep: (step: DistributionStep) => void): Promise<void> {
    for (const step of await this.steps()) {
      if (!step.isDone) await step.take();
      onStep(step);
    }
  }

  private async steps(): Promise<Step[]> {
    await this.refuseWhereImpossible();
    const known = (await hasCitus(this.dataSource)) ? await clusterNodes(this.dataSource) : [];
    const addresses = known.filter(({ isCoordinator }) => !isCoordinator).map(({ address }) => address);
    const workers = [...new Set([...addresses, ...this.options.workers])];
    if (workers.length === 0) {
      throw new StartRefused(
        'There is no node to put tenants on: name at least one with --worker HOST:PORT, a PostgreSQL with Citus and pgvector',
      );
    }
    const isNew = (address: string): boolean => !addresses.includes(address);
    const plan: Step[] = [];
    for (const address of workers.filter(isNew)) plan.push(await this.preparation(address));
    const coordinator = known.find(({ isCoordinator }) => isCoordinator);
    plan.push(
      {
        about: 'install the extension in the database of the coordinator',
        isDone: await hasCitus(this.dataSource),
        take: () => this.execute('create extension citus'),
      },
      {
        about: `let the nodes know the coordinator as ${coordinator?.address ?? this.coordinatorAddress}`,
        isDone: coordinator !== undefined,
        take: () => this.nameCoordinator(),
      },
      ...workers.map((address) => ({
        about: `make ${address} a node`,
        isDone: !isNew(address),
        take: () => this.addNode(address),
      })),
      await this.settingsStep(),
      await this.tablesStep(),
    );
    return plan;
  }

  private async refuseWhereImpossible(): Promise<void> {
    await requireVectorExtension(this.dataSource);
    const [here] = await run<{ loaded: string; superuser: string; group: number | null }>(
      this.dataSource,
      sql`select current_setting('shared_preload_libraries') as loaded, current_setting('is_superuser') as superuser`,
    );
    if (!isLoaded(here?.loaded)) {
      throw new StartRefused(
        'The database server has no Citus: install it, put citus first into shared_preload_libraries and restart the server, or take one that has it',
      );
    }
    if (here?.superuser !== 'on') {
      throw new StartRefused(
        'The user of DATABASE_URL is no superuser: Citus lets nobody else add nodes; run this command with one, the service needs none',
      );
    }
    if (!(await hasCitus(this.dataSource))) return;
    const [place] = await run<{ groupid: number }>(
      this.dataSource,
      sql`select groupid from pg_dist_local_group`,
    );
    if (place?.groupid !== 0) {
      throw new StartRefused('DATABASE_URL names a worker of the cluster: name its coordinator');
    }
  }

  /** @throws StartRefused when it is no node that the others fit. */
  private async preparation(address: string): Promise<Step> {
    const database = new URL(this.options.url).pathname.slice(1);
    const found = await this.onWorker(address, 'postgres', async (worker) => {
      const [node] = await run<{
        loaded: string;
        version: string;
        vector: string | null;
        citus: string | null;
        found: boolean;
      }>(
        worker,
        sql`select current_setting('shared_preload_libraries') as loaded, current_setting('server_version_num')::integer / 10000 as version,
              (select default_version from pg_available_extensions where name = 'vector') as vector,
              (select default_version from pg_available_extensions where name = 'citus') as citus,
              exists (select from pg_database where datname = ${database}) as found`,
      );
      return node;
    });
    const [own] = await run<{ version: string; vector: string; citus: string }>(
      this.dataSource,
      sql`select current_setting('server_version_num')::integer / 10000 as version,
            (select default_version from pg_available_extensions where name = 'vector') as vector,
            (select default_version from pg_available_extensions where name = 'citus') as citus`,
    );
    if (!isLoaded(found?.loaded))
      throw new StartRefused(`${address} has no Citus in its shared_preload_libraries`);
    for (const what of ['version', 'vector', 'citus'] as const) {
      if (found?.[what] === own?.[what]) continue;
      const name = { version: 'PostgreSQL', vector: 'pgvector', citus: 'Citus' }[what];
      throw new StartRefused(
        `${address} has ${name} ${found?.[what] ?? 'not at all'}, the coordinator ${own?.[what] ?? 'not at all'}: they have to be the same`,
      );
    }
    const isDone = found?.found === true && (await this.onWorker(address, database, hasCitus));
    return {
      about: `make the database ${database} with the extension on ${address}`,
      isDone,
      take: async () => {
        if (found?.found !== true) {
          await this.onWorker(address, 'postgres', (worker) =>
            worker.query(`create database ${escapeIdentifier(database)}`),
          );
        }
        await this.onWorker(address, database, (worker) =>
          worker.query('create extension if not exists citus'),
        );
      },
    };
  }

  private async nameCoordinator(): Promise<void> {
    const { host, port } = placeOf(this.coordinatorAddress);
    await run(this.dataSource, sql`select citus_set_coordinator_host(${host}, ${port}::integer)`);
  }

  private async addNode(address: string): Promise<void> {
    const { host, port } = placeOf(address);
    await run(this.dataSource, sql`select citus_add_node(${host}, ${port}::integer)`);
  }

  /** What connections of the service set for themselves does not reach the nodes; what is set for the role does. */
  private async settingsStep(): Promise<Step> {
    return {
      about: 'set for the role, on all nodes, what searches need',
      isDone: await hasRoleSettings(this.dataSource),
      take: async () => {
        const [names] = await run<{ role: string; database: string }>(
          this.dataSource,
          sql`select quote_ident(current_user) as role, quote_ident(current_database()) as database`,
        );
        for (const [name, value] of Object.entries(ROLE_SETTINGS)) {
          await this.execute(
            `alter role ${names?.role ?? ''} in database ${names?.database ?? ''} set ${name} = '${value}'`,
          );
        }
      },
    };
  }

  private async tablesStep(): Promise<Step> {
    const done = await distributedTables(this.dataSource);
    const wanted = await tenantTables(this.dataSource);
    const left = wanted.filter((name) => !done.includes(name));
    return {
      about: `distribute ${wanted.length} tables by their tenant, in one transaction`,
      isDone: left.length === 0,
      take: () => this.distributeTables(left),
    };
  }

  private async distributeTables(tables: readonly string[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await changeSchema(this.dataSource, (manager) => this.distributeNow(manager, tables));
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

  private async distributeNow(manager: EntityManager, tables: readonly string[]): Promise<void> {
    const all = await tenantTables(manager);
    await manager.query(`set local lock_timeout = ${LOCK_WAIT_MS}`);
    await manager.query(
      `lock table ${[...EVERYWHERE, ...ON_COORDINATOR, ...all].join(', ')} in access exclusive mode`,
    );
    await manager.query('set local lock_timeout = 0');
    await endingWaiters(this.dataSource, manager, async () => {
      // A foreign key from a distributed table into one that is everywhere takes one connection a node.
      await manager.query(`set local citus.multi_shard_modify_mode = 'sequential'`);
      await manager.query('set local citus.enable_unsafe_triggers = on');
      await manager.query(`set local citus.shard_count = ${this.options.shards}`);
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

  private get coordinatorAddress(): string {
    const { hostname, port } = new URL(this.options.url);
    return this.options.coordinator ?? `${hostname}:${port === '' ? '5432' : port}`;
  }

  private async execute(statement: string): Promise<void> {
    await run(this.dataSource, sql`${raw(statement)}`);
  }

  /** With the user and the password of the service. @throws StartRefused when it is not reached. */
  private async onWorker<T>(
    address: string,
    database: string,
    work: (worker: Queryable) => Promise<T>,
  ): Promise<T> {
    const url = new URL(this.options.url);
    url.host = address;
    url.pathname = `/${database}`;
    const client = new Client({ connectionString: url.href });
    try {
      await client.connect();
    } catch (error) {
      throw new StartRefused(
        `${address} is not reached with the user of DATABASE_URL (${(error as Error).message})`,
        {
          cause: error,
        },
      );
    }
    try {
      return await work({
        query: async (text, values) => (await client.query<object>(text, values)).rows,
      });
    } finally {
      await client.end();
    }
  }
}

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

function isLoaded(libraries: string | undefined): boolean {
  return libraries?.split(',').some((name) => name.trim() === 'citus') ?? false;
}

function placeOf(address: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(`postgres://${address}`);
  return { host: hostname, port: port === '' ? 5432 : Number(port) };
}

/** Whether the role has, in this database, what the nodes have to know of its sessions. */
export async function hasRoleSettings(database: Queryable): Promise<boolean> {
  const [set] = await run<{ settings: string[] }>(
    database,
    sql`select setconfig as settings from pg_db_role_setting
        where setrole = (select oid from pg_roles where rolname = current_user)
          and setdatabase = (select oid from pg_database where datname = current_database())`,
  );
  return Object.entries(ROLE_SETTINGS).every(
    ([name, value]) => set?.settings.includes(`${name}=${value}`) ?? false,
  );
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
