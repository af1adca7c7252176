import { Client, escapeIdentifier } from 'pg';
import sql, { raw } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { StartRefused } from '../../errors/index.js';
import { SESSION_SETTINGS } from '../data-source.js';
import { requireVectorExtension } from '../migrate.js';
import { run, type Queryable } from '../run.js';
import { clusterNodes, distributedTables, hasCitus } from './cluster.js';
import { distributeTables, tenantTables } from './distributed-tables.js';

/**
 * Settings of the role on every node. The connection timeout between nodes (in milliseconds) equals the default
 * connection timeout of the service.
 */
const ROLE_SETTINGS = { ...SESSION_SETTINGS, 'citus.node_connection_timeout': '5000' };

export interface DistributionOptions {
  /** Connection URL of the service: `postgres://user:password@coordinator:5432/lectern`. */
  readonly url: string;
  /** `host:port` of nodes to add. */
  readonly workers: readonly string[];
  /** `host:port` at which the workers reach the coordinator. Default: host and port of the URL. */
  readonly coordinator: string | undefined;
  /** Number of shards when no table is distributed yet. */
  readonly shards: number;
}

/** One step of the conversion of an ordinary database to a distributed database. */
export interface DistributionStep {
  /** Imperative sentence without a full stop. */
  readonly about: string;
  readonly isDone: boolean;
}

interface Step extends DistributionStep {
  readonly take: () => Promise<void>;
}

/**
 * Distributes a database over a Citus cluster. The rows of a tenant shard in all tables are on the same node. Every
 * step is idempotent, and steps that are already done are skipped. One transaction distributes all tables.
 */
export class Distribution {
  constructor(
    private readonly dataSource: DataSource,
    private readonly options: DistributionOptions,
  ) {}

  /**
   * Returns the steps in order.
   * @throws StartRefused when the database cannot be distributed.
   */
  async plan(): Promise<DistributionStep[]> {
    return (await this.steps()).map(({ about, isDone }) => ({ about, isDone }));
  }

  /** @throws StartRefused before anything has changed, if the database cannot be distributed. */
  async run(onStep: (step: DistributionStep) => void): Promise<void> {
    for (const step of await this.steps()) {
      if (!step.isDone) await step.take();
      onStep(step);
    }
  }

  private async steps(): Promise<Step[]> {
    await requireVectorExtension(this.dataSource);
    await this.requireSuperuser();
    const isInstalled = await hasCitus(this.dataSource);
    await (isInstalled ? this.requireCoordinator() : this.requireCitus());
    const known = isInstalled ? await clusterNodes(this.dataSource) : [];
    const addresses = known.filter(({ isCoordinator }) => !isCoordinator).map(({ address }) => address);
    const workers = [...new Set([...addresses, ...this.options.workers])];
    if (workers.length === 0) {
      throw new StartRefused(
        'The cluster has no worker node: add at least one with --worker HOST:PORT; it must run PostgreSQL with Citus and pgvector',
      );
    }
    const isNew = (address: string): boolean => !addresses.includes(address);
    const coordinator = known.find(({ isCoordinator }) => isCoordinator);
    const plan: Step[] = [];
    for (const address of workers.filter(isNew)) plan.push(await this.preparation(address));
    plan.push(
      {
        about: 'install the extension in the database of the coordinator',
        isDone: isInstalled,
        take: () => this.execute('create extension citus'),
      },
      {
        about: `register the coordinator as ${coordinator?.address ?? this.coordinatorAddress}`,
        isDone: coordinator !== undefined,
        take: () => this.nameCoordinator(),
      },
      ...workers.map((address) => ({
        about: `add the node ${address}`,
        isDone: !isNew(address),
        take: () => this.addNode(address),
      })),
      await this.settingsStep(),
      await this.tablesStep(),
    );
    return plan;
  }

  private async requireCitus(): Promise<void> {
    const [here] = await run<{ loaded: string }>(
      this.dataSource,
      sql`select current_setting('shared_preload_libraries') as loaded`,
    );
    if (!isLoaded(here?.loaded)) {
      throw new StartRefused(
        'The database server lacks Citus: install it, put citus first in shared_preload_libraries and restart the server',
      );
    }
  }

  private async requireCoordinator(): Promise<void> {
    const [place] = await run<{ groupid: number }>(
      this.dataSource,
      sql`select groupid from pg_dist_local_group`,
    );
    if (place?.groupid !== 0) {
      throw new StartRefused('DATABASE_URL names a worker of the cluster: set it to the coordinator');
    }
  }

  /** Checks that the role is a superuser. Runs before the other checks, because their queries need superuser rights. */
  private async requireSuperuser(): Promise<void> {
    const [user] = await run<{ isSuperuser: boolean }>(
      this.dataSource,
      sql`select current_setting('is_superuser') = 'on' as "isSuperuser"`,
    );
    if (user?.isSuperuser !== true) {
      throw new StartRefused(
        'The user of DATABASE_URL is not a superuser, which Citus requires to add nodes: make it one until this command has ended',
      );
    }
  }

  /**
   * Returns the step that prepares a node for the cluster.
   * @throws StartRefused if its software does not match that of the coordinator.
   */
  private async preparation(address: string): Promise<Step> {
    const database = new URL(this.options.url).pathname.slice(1);
    const { found, hasDatabase } = await this.onWorker(address, 'postgres', async (worker) => {
      const same = await run(worker, sql`select from pg_database where datname = ${database}`);
      return { found: await softwareOf(worker), hasDatabase: same.length > 0 };
    });
    const own = await softwareOf(this.dataSource);
    if (!isLoaded(found?.loaded))
      throw new StartRefused(`${address} lacks citus in its shared_preload_libraries`);
    for (const software of ['version', 'vector', 'citus'] as const) {
      if (found?.[software] === own?.[software]) continue;
      const name = { version: 'PostgreSQL', vector: 'pgvector', citus: 'Citus' }[software];
      throw new StartRefused(
        `${address} has ${name} ${found?.[software] ?? 'not installed'}, the coordinator ${own?.[software] ?? 'not installed'}: install the same version on both`,
      );
    }
    const isDone = hasDatabase && (await this.onWorker(address, database, hasCitus));
    return {
      about: `create the database ${database} with the extension on ${address}`,
      isDone,
      take: async () => {
        if (!hasDatabase) {
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
    const { host, port } = hostAndPort(this.coordinatorAddress);
    await run(this.dataSource, sql`select citus_set_coordinator_host(${host}, ${port}::integer)`);
  }

  private async addNode(address: string): Promise<void> {
    const { host, port } = hostAndPort(address);
    await run(this.dataSource, sql`select citus_add_node(${host}, ${port}::integer)`);
  }

  /**
   * Returns the step that stores the session settings in the role, because settings of a client connection do not reach
   * the nodes.
   */
  private async settingsStep(): Promise<Step> {
    return {
      about: 'set the search settings of the role on all nodes',
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
      take: () => distributeTables(this.dataSource, left, this.options.shards),
    };
  }

  private get coordinatorAddress(): string {
    const { hostname, port } = new URL(this.options.url);
    return this.options.coordinator ?? `${hostname}:${port === '' ? '5432' : port}`;
  }

  private async execute(statement: string): Promise<void> {
    await run(this.dataSource, sql`${raw(statement)}`);
  }

  /** Connects to a node with the user and password of the service. @throws StartRefused if the connection fails. */
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
        `Cannot connect to ${address} with the user of DATABASE_URL (${(error as Error).message})`,
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

/** The software of a node, which must match on all nodes, and the preloaded libraries. */
interface Software {
  readonly loaded: string;
  readonly version: number;
  readonly vector: string | null;
  readonly citus: string | null;
}

async function softwareOf(server: Queryable): Promise<Software | undefined> {
  const [software] = await run<Software>(
    server,
    sql`select current_setting('shared_preload_libraries') as loaded,
          current_setting('server_version_num')::integer / 10000 as version,
          (select default_version from pg_available_extensions where name = 'vector') as vector,
          (select default_version from pg_available_extensions where name = 'citus') as citus`,
  );
  return software;
}

function isLoaded(libraries: string | undefined): boolean {
  return libraries?.split(',').some((name) => name.trim() === 'citus') ?? false;
}

function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(`postgres://${address}`);
  return { host: hostname, port: port === '' ? 5432 : Number(port) };
}

/** Tells whether the current role has the session settings that the nodes need in this database. */
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
