import {
  DataSource,
  DefaultNamingStrategy,
  type ColumnType,
  type DataSourceOptions,
  type Table,
} from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { types } from 'pg';
import { parseJson, printJson } from '../json/exact-json.js';
import { currentCaller, currentSignal } from '../request/request-context.js';
import { FairConnections } from './fair-connections.js';
import { migrations } from './migrations/index.js';
import { EmbeddedClient, ServerClient, type Deadlines, type Session } from './timed-client.js';

export type DatabaseHome =
  { readonly url: string; readonly poolSize: number } | { readonly socketDir: string };

/** Default values of DATABASE_CONNECT_TIMEOUT_MS and DATABASE_STATEMENT_TIMEOUT_MS. */
const USUAL_DEADLINES: Deadlines = { connectMs: 5_000, statementMs: 15_000 };

/** Idle time in milliseconds after which TCP keep-alive probes a connection. */
const KEEP_ALIVE_MS = 10_000;

/**
 * Idle time in milliseconds after which a connection is closed. It is longer than the library's default of 10 s,
 * because a new connection must parse and plan statements and fill its caches again.
 */
const IDLE_MS = 300_000;

/**
 * Session settings of every connection. docs/project/performance.md has measurements of `relaxed_order` and ef_search
 * 100. A relaxed scan may return results out of order, so the statements sort them. A statement may use one parallel
 * worker: starting a second worker costs more than it saves, and other requests need the cores.
 */
export const SESSION_SETTINGS = {
  'hnsw.ef_search': '100',
  'hnsw.iterative_scan': 'relaxed_order',
  jit: 'off',
  max_parallel_workers_per_gather: '1',
  work_mem: '32MB',
} as const;

type TypeId = Parameters<typeof types.getTypeParser>[0];

const JSON_TYPES = new Set<TypeId>([types.builtins.JSON, types.builtins.JSONB]);

/** The type parsers of `pg`, but with a JSON parser that keeps exact numbers. */
const exactTypes = {
  getTypeParser: (oid: TypeId, format?: 'text' | 'binary') =>
    JSON_TYPES.has(oid) ? parseJson : (types.getTypeParser(oid, format) as unknown),
};

type Driver = DataSource['driver'];

/** A connection of the pool, and a function that gives it back. */
type Lent = [client: unknown, release: (error?: Error) => void];

/** The pgvector type `sparsevec`, which TypeORM does not know. */
export const SPARSE_VECTOR = 'sparsevec' as ColumnType;
/** Entities in the form that TypeORM accepts. */
export type Entities = NonNullable<DataSourceOptions['entities']>;

/**
 * The data source of the service. Entities, migrations and SQL are the same for a server and for the embedded database.
 */
export class Database extends DataSource {
  private readonly session: Session;

  /** @param release frees resources after the last connection closes */
  constructor(
    home: DatabaseHome,
    entities: Entities = [],
    deadlines: Deadlines = USUAL_DEADLINES,
    private readonly release: () => Promise<void> = () => Promise.resolve(),
  ) {
    const session: Session = { keepsNames: false, wasDiskFull: false };
    super({
      type: 'postgres',
      ...('url' in home ? serverOptions(home, deadlines, session) : embeddedOptions(home, deadlines)),
      entities,
      migrations,
      migrationsTransactionMode: 'all',
      namingStrategy: new PostgresNaming(),
      installExtensions: false,
      uuidExtension: 'pgcrypto', // makes TypeORM use gen_random_uuid()
    });
    this.session = session;
    this.driver.supportedDataTypes.push(SPARSE_VECTOR);
    writeExactJson(this.driver);
    shareConnections(this.driver as PostgresDriver, 'url' in home ? home.poolSize : 1, deadlines);
  }

  override async initialize(): Promise<this> {
    await super.initialize();
    this.session.keepsNames = !isEmbedded(this) && (await isDirect(this));
    return this;
  }

  override async destroy(): Promise<void> {
    await super.destroy();
    await this.release();
  }
}

/** Makes TypeORM print jsonb with {@link printJson} instead of JSON.stringify, so that numbers keep every digit. */
function writeExactJson(driver: Driver): void {
  const prepare: (...given: Parameters<Driver['preparePersistentValue']>) => unknown =
    driver.preparePersistentValue.bind(driver);
  driver.preparePersistentValue = (value: unknown, column) =>
    column.type === 'jsonb' && value !== null && value !== undefined
      ? printJson(value)
      : prepare(value, column);
}

/** Makes requests take connections from the pool by {@link FairConnections}. */
function shareConnections(driver: PostgresDriver, poolSize: number, { connectMs }: Deadlines): void {
  const connections = new FairConnections(poolSize, connectMs);
  const obtain = driver.obtainMasterConnection.bind(driver) as () => Promise<Lent>;
  driver.obtainMasterConnection = async (): Promise<Lent> => {
    const caller = currentCaller();
    if (caller === undefined) return obtain();
    const [[client, release], giveBack] = await connections.take(caller, obtain, currentSignal());
    return [
      client,
      (error) => {
        release(error);
        giveBack();
      },
    ];
  };
}

/** Tells whether a {@link Database} uses the embedded database. Its option `host` is then the path of a socket. */
export function isEmbedded({ options }: DataSource): boolean {
  return options.type === 'postgres' && options.host !== undefined;
}

/**
 * Tells whether connections reach PostgreSQL directly and not through a pooler. Behind a pooler, the process id that
 * the client knows is not the id of the backend.
 */
async function isDirect(database: DataSource): Promise<boolean> {
  const runner = database.createQueryRunner();
  try {
    const { processID } = (await runner.connect()) as { readonly processID: number };
    const [row] = (await runner.query('select pg_backend_pid() as process')) as { process: number }[];
    return row?.process === processID;
  } finally {
    await runner.release();
  }
}

function serverOptions(
  { url, poolSize }: { readonly url: string; readonly poolSize: number },
  { connectMs, statementMs }: Deadlines,
  session: Session,
) {
  const settings = { ...SESSION_SETTINGS, statement_timeout: statementMs };
  return {
    url,
    poolSize,
    connectTimeoutMS: connectMs,
    extra: {
      types: exactTypes,
      Client: ServerClient,
      statementMs,
      session,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      idleTimeoutMillis: IDLE_MS,
      options: Object.entries(settings)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
    },
  };
}

/**
 * Options of the embedded database. The deadline for a connection includes the time of a statement, because a caller
 * may have to wait until the only connection has finished a statement of another caller.
 */
function embeddedOptions(
  { socketDir }: { readonly socketDir: string },
  { connectMs, statementMs }: Deadlines,
) {
  return {
    host: socketDir,
    username: 'postgres',
    database: 'postgres',
    poolSize: 1,
    connectTimeoutMS: statementMs === 0 ? 0 : statementMs + connectMs,
    extra: { types: exactTypes, Client: EmbeddedClient, statementMs },
  };
}

/**
 * Names columns in snake case, and constraints as PostgreSQL does by default, because the migrations rely on these
 * names.
 */
class PostgresNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }

  override primaryKeyName(table: Table | string): string {
    return `${this.getTableName(table)}_pkey`;
  }

  override uniqueConstraintName(table: Table | string, columnNames: string[]): string {
    return [this.getTableName(table), ...columnNames, 'key'].join('_');
  }

  override foreignKeyName(table: Table | string, columnNames: string[]): string {
    return [this.getTableName(table), ...columnNames, 'fkey'].join('_');
  }
}
