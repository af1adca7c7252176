import sql from 'sql-template-tag';
import { run, type Queryable } from './run.js';

/** Names of the migrations that a database has, in the order in which they ran. */
export async function recordedMigrations(database: Queryable): Promise<string[]> {
  const [table] = await run<{ exists: boolean }>(
    database,
    sql`select to_regclass('migrations') is not null as exists`,
  );
  return table?.exists === true ? migrationNames(database) : [];
}

/** Like {@link recordedMigrations}, for a database that has been migrated. */
export async function migrationNames(database: Queryable): Promise<string[]> {
  const rows = await run<{ name: string }>(database, sql`select name from migrations order by id`);
  return rows.map(({ name }) => name);
}
