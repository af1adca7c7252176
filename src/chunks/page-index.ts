import sql, { raw, type Sql } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { isEmbedded } from '../database/data-source.js';
import { run, type Queryable } from '../database/run.js';

/** The HNSW index over the pooled vectors of pages, where they have some: all of one length. */
export const POOLED_INDEX = 'pages_pooled';

/** Which pages the index holds: PostgreSQL builds it over deleted rows too while somebody may see them, of any length. */
export function hasLength(column: string, dimensions: number): Sql {
  return raw(`vector_dims(${column}) = ${dimensions}`);
}

/** Its creation, by its name and that of the column. */
export function pooledIndex(dimensions: number, name = POOLED_INDEX, column = 'pooled'): Sql {
  const indexed = `(${column}::halfvec(${dimensions})) halfvec_ip_ops`;
  return sql`${raw(
    `create index if not exists ${name} on pages using hnsw (${indexed}) with (ef_construction = 128)`,
  )} where ${hasLength(column, dimensions)}`;
}

/**
 * Makes it where it is missing. The embedded database goes without: measuring the pages of a laptop takes it less than
 * its WebAssembly would take to look after an index.
 * @param dimensions of the vectors
 */
export async function makePooledIndex(
  dataSource: DataSource,
  database: Queryable,
  dimensions: number,
): Promise<void> {
  if (!isEmbedded(dataSource)) await run(database, pooledIndex(dimensions));
}

/** Before vectors of another length come in, once there are none left of the old one. */
export async function dropPooledIndex(database: Queryable): Promise<void> {
  await run(database, sql`${raw(`drop index if exists ${POOLED_INDEX}`)}`);
}
