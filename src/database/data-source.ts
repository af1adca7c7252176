import { DataSource, type DataSourceOptions } from 'typeorm';
import { types } from 'pg';
import { parseJson, printJson } from '../json/exact-json.js';
import { migrations } from './migrations/index.js';
import { PostgresNaming } from './naming-strategy.js';

export type DatabaseHome =
  { readonly url: string; readonly poolSize: number } | { readonly socketDir: string };

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
/** As TypeORM takes them. */
export type Entities = NonNullable<DataSourceOptions['entities']>;

/** A data source, on a server or embedded: the same entities, migrations and SQL. */
export class Database extends DataSource {
  /** @param release what is to be let go of after the last connection. */
  constructor(
    home: DatabaseHome,
    entities: Entities = [],
    private readonly release: () => Promise<void> = () => Promise.resolve(),
  ) {
    const connection =
      'url' in home
        ? { url: home.url, poolSize: home.poolSize, connectTimeoutMS: 10_000 }
        : { host: home.socketDir, username: 'postgres', database: 'postgres', poolSize: 1 };
    super({
      type: 'postgres',
      ...connection,
      entities,
      migrations,
      migrationsTransactionMode: 'all',
      namingStrategy: new PostgresNaming(),
      installExtensions: false,
      uuidExtension: 'pgcrypto', // where gen_random_uuid() was before PostgreSQL had it
      extra: {
        types: exactTypes,
        ...('url' in home ? { options: sessionOptions() } : {}),
      },
    });
    writeExactJson(this.driver);
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

function sessionOptions(): string {
  return Object.entries(SESSION_SETTINGS)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}
