import { Client, escapeIdentifier } from 'pg';
import sql, { raw } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { StartRefused } from '../../errors/index.js';
import { SESSION_SETTINGS } from '../data-source.js';
import { requireVectorExtension } from '../migrate.js';
import { run, type Queryable } from '../run.js';
import { clusterNodes, distributedTables, hasCitus } from './cluster.js';
import { moveTables, tenantTables } from './distributed-tables.js';

/** A node that cannot be reached is given up after the time that the service gives a database. */
const ROLE_SETTINGS = { ...SESSION_SETTINGS, 'citus.node_connection_timeout': '5000' };

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
    await requireVectorExtension(this.dataSource);
    await this.refuseOrdinaryUser();
    const isInstalled = await hasCitus(this.dataSource);
    await (isInstalled ? this.refuseOnWorker() : this.refuseWithoutCitus());
    const known = isInstalled ? await clusterNodes(this.dataSource) : [];
    const addresses = known.filter(({ isCoordinator }) => !isCoordinator).map(({ address }) => address);
    const workers = [...new Set([...addresses, ...this.options.workers])];
    if (workers.length === 0) {
      throw new StartRefused(
        'There is no node to put tenants on: name at least one with --worker HOST:PORT, a PostgreSQL with Citus and pgvector',
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

  private async refuseWithoutCitus(): Promise<void> {
    const [here] = await run<{ loaded: string }>(
      this.dataSource,
      sql`select current_setting('shared_preload_libraries') as loaded`,
    );
    if (!isLoaded(here?.loaded)) {
      throw new StartRefused(
        'The database server has no Citus: install it, put citus first into shared_preload_libraries and restart the server, or take one that has it',
      );
    }
  }

  private async refuseOnWorker(): Promise<void> {
    const [place] = await run<{ groupid: number }>(
      this.dataSource,
      sql`select groupid from pg_dist_local_group`,
    );
    if (place?.groupid !== 0) {
      throw new StartRefused('DATABASE_URL names a worker of the cluster: name its coordinator');
    }
  }

  /** Before anything that only a superuser may read. */
  private async refuseOrdinaryUser(): Promise<void> {
    const [user] = await run<{ isSuperuser: boolean }>(
      this.dataSource,
      sql`select current_setting('is_superuser') = 'on' as "isSuperuser"`,
    );
    if (user?.isSuperuser !== true) {
      throw new StartRefused(
        'The user of DATABASE_URL is no superuser: Citus lets nobody else add nodes; make it one for this time, the service needs none',
      );
    }
  }

  /** @throws StartRefused when it is no node that the others fit. */
  private async preparation(address: string): Promise<Step> {
    const database = new URL(this.options.url).pathname.slice(1);
    const { found, hasDatabase } = await this.onWorker(address, 'postgres', async (worker) => {
      const same = await run(worker, sql`select from pg_database where datname = ${database}`);
      return { found: await softwareOf(worker), hasDatabase: same.length > 0 };
    });
    const own = await softwareOf(this.dataSource);
    if (!isLoaded(found?.loaded))
      throw new StartRefused(`${address} has no Citus in its shared_preload_libraries`);
    for (const what of ['version', 'vector', 'citus'] as const) {
      if (found?.[what] === own?.[what]) continue;
      const name = { version: 'PostgreSQL', vector: 'pgvector', citus: 'Citus' }[what];
      throw new StartRefused(
        `${address} has ${name} ${found?.[what] ?? 'not at all'}, the coordinator ${own?.[what] ?? 'not at all'}: they have to be the same`,
      );
    }
    const isDone = hasDatabase && (await this.onWorker(address, database, hasCitus));
    return {
      about: `make the database ${database} with the extension on ${address}`,
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
      take: () => moveTables(this.dataSource, left, this.options.shards),
    };
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

/** What has to be the same on all nodes, and what they load. */
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
