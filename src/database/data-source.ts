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

/** Deadlines of the default settings. */
const USUAL_DEADLINES: Deadlines = { connectMs: 5_000, statementMs: 15_000 };

/** Idle time before TCP keep-alive probes a connection. */
const KEEP_ALIVE_MS = 10_000;

/** Idle time before a connection closes. A new one parses, plans and fills caches again, so the library's 10 s is too short. */
const IDLE_MS = 300_000;

/**
 * Session settings of every connection. `relaxed_order` iterative scans and ef 100 are measured in docs/project/performance.md;
 * results are sorted again afterwards. Each statement gets one parallel worker: a second one costs more to start than it
 * saves, and other requests need the cores.
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

/** Returns jsonb as exact numbers; every other type as `pg` parses it. */
const exactTypes = {
  getTypeParser: (oid: TypeId, format?: 'text' | 'binary') =>
    JSON_TYPES.has(oid) ? parseJson : (types.getTypeParser(oid, format) as unknown),
};

type Driver = DataSource['driver'];

/** A pgvector type that TypeORM does not know. */
export const SPARSE_VECTOR = 'sparsevec' as ColumnType;
/** Entities in the form that TypeORM accepts. */
export type Entities = NonNullable<DataSourceOptions['entities']>;

/** A data source, on a server or embedded, with the same entities, migrations and SQL. */
export class Database extends DataSource {
  private readonly session: Session;

  /** @param release frees resources after the last connection closes */
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
      uuidExtension: 'pgcrypto', // provided gen_random_uuid() before PostgreSQL did
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

/** Replaces TypeORM's JSON.stringify for jsonb, after the column transformers: {@link printJson} keeps every digit. */
function writeExactJson(driver: Driver): void {
  const prepare: (...given: Parameters<Driver['preparePersistentValue']>) => unknown =
    driver.preparePersistentValue.bind(driver);
  driver.preparePersistentValue = (value: unknown, column) =>
    column.type === 'jsonb' && value !== null && value !== undefined
      ? printJson(value)
      : prepare(value, column);
}

/** Tells whether a {@link Database} uses the embedded database, which it reaches through a socket. */
export function isEmbedded({ options }: DataSource): boolean {
  return options.type === 'postgres' && options.host !== undefined;
}

/** Tells whether connections reach PostgreSQL directly: a pooler reports a backend pid that is not real. */
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

/** Longer connection deadline: a caller first waits for another caller's statement on the one connection. */
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

/** Snake-case columns, and PostgreSQL's own default constraint names, which the migrations rely on. */
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
