import { DataSource, type DataSourceOptions } from 'typeorm';
import { types } from 'pg';
import { parseJson } from '../json/exact-json.js';
import { migrations } from './migrations/index.js';

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

/** One data source for both homes: the same entities, migrations and SQL. */
export function createDataSource(
  home: DatabaseHome,
  entities: NonNullable<DataSourceOptions['entities']> = [],
): DataSource {
  const connection =
    'url' in home
      ? { url: home.url, poolSize: home.poolSize, connectTimeoutMS: 10_000 }
      : { host: home.socketDir, username: 'postgres', database: 'postgres', poolSize: 1 };
  return new DataSource({
    type: 'postgres',
    ...connection,
    entities,
    migrations,
    migrationsTransactionMode: 'all',
    installExtensions: false,
    extra: {
      types: exactTypes,
      ...('url' in home ? { options: sessionOptions() } : {}),
    },
  });
}

/** Whether a data source of {@link createDataSource} leads to the embedded database: through a socket, not by address. */
export function isEmbedded({ options }: DataSource): boolean {
  return options.type === 'postgres' && options.host !== undefined;
}

function sessionOptions(): string {
  return Object.entries(SESSION_SETTINGS)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}
