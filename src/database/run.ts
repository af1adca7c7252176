import type { Sql } from 'sql-template-tag';

/** Runs statements: the data source, or the manager of a transaction. */
export interface Queryable {
  query(text: string, parameters?: unknown[]): Promise<unknown>;
}

/**
 * Runs one parameterised statement and returns its rows. TypeORM returns `[rows, count]` for UPDATE and DELETE and rows
 * for all other statements.
 */
export async function run<Row>(database: Queryable, statement: Sql): Promise<Row[]> {
  const result = await database.query(statement.text, statement.values);
  if (!Array.isArray(result)) return [];
  const [rows, count] = result as unknown[];
  return (result.length === 2 && Array.isArray(rows) && typeof count === 'number' ? rows : result) as Row[];
}
