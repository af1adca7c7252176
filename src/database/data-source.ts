import {
  DataSource,
  DefaultNamingStrategy,
  type ColumnType,
  type DataSourceOptions,
  type Table,
} from 'typeorm';
import { types } from 'pg';
import { parseJson, printJson } from '../json/exact-json.js';
import { migrations } from './migrations/index.js';
import { EmbeddedClient, ServerClient, type Deadlines, type Session } from './timed-client.js';

export type DatabaseHome =
  { readonly url: string; readonly poolSize: number } | { readonly socketDir: string };

/** Those of the settings' defaults. */
const USUAL_DEADLINES: Deadlines = { connectMs: 5_000, statementMs: 15_000 };

/** A connection that idles longer is asked by TCP whether its server is still there. */
const KEEP_ALIVE_MS = 10_000;

/** A new connection parses, plans and caches anew: one that nobody uses is kept longer than the library's 10 seconds. */
const IDLE_MS = 300_000;

/**
 * Session settings of every connection. `relaxed_order` iterative scans and ef 100: measured in
 * docs/performance.md; results are ordered again afterwards. One process may help with a statement: the second one
 * takes longer to start than it saves, and other requests want cores too.
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

/** jsonb comes back with every digit of its numbers; everything else as `pg` reads it. */
const exactTypes = {
  getTypeParser: (oid: TypeId, format?: 'text' | 'binary') =>
    JSON_TYPES.has(oid) ? parseJson : (types.getTypeParser(oid, format) as unknown),
};

type Driver = DataSource['driver'];

/** A type of pgvector that TypeORM does not know by itself. */
export const SPARSE_VECTOR = 'sparsevec' as ColumnType;
/** As TypeORM takes them. */
export type Entities = NonNullable<DataSourceOptions['entities']>;

/** A data source, on a server or embedded: the same entities, migrations and SQL. */
export class Database extends DataSource {
  private readonly session: Session;

  /** @param release what is to be let go of after the last connection. */
  constructor(
    home: DatabaseHome,
    entities: Entities = [],
    deadlines: Deadlines = USUAL_DEADLINES,
    private readonly release: () => Promise<void> = () => Promise.resolve(),
  ) {
    const session: Session = { keepsNames: false };
    super({
      type: 'postgres',
      ...('url' in home ? serverOptions(home, deadlines, session) : embeddedOptions(home, deadlines)),
      entities,
      migrations,
      migrationsTransactionMode: 'all',
      namingStrategy: new PostgresNaming(),
      installExtensions: false,
      uuidExtension: 'pgcrypto', // where gen_random_uuid() was before PostgreSQL had it
    });
    this.session = session;
    this.driver.supportedDataTypes.push(SPARSE_VECTOR);
    writeExactJson(this.driver);
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

/** TypeORM prints jsonb by JSON.stringify, after the transformers of its columns; {@link printJson} keeps every digit. */
function writeExactJson(driver: Driver): void {
  const prepare: (...given: Parameters<Driver['preparePersistentValue']>) => unknown =
    driver.preparePersistentValue.bind(driver);
  driver.preparePersistentValue = (value: unknown, column) =>
    column.type === 'jsonb' && value !== null && value !== undefined
      ? printJson(value)
      : prepare(value, column);
}

/** Whether a data source of {@link Database} leads to the embedded database: through a socket, not by address. */
export function isEmbedded({ options }: DataSource): boolean {
  return options.type === 'postgres' && options.host !== undefined;
}

/** Whether connections lead to PostgreSQL itself: a pooler tells its clients a process of its own. */
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

/** Who waits for the one connection waits for a statement of somebody else first. */
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

/** Columns in snake case, and the names that PostgreSQL itself gives to keys, which the migrations leave to it. */
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
