import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import { StartRefused } from '../errors/index.js';
import { withoutDeadline } from './deadline.js';

/** Key of the advisory lock that lets one process at a time change the schema: "lect" as a number. */
const SCHEMA_LOCK = 0x6c656374;

/**
 * Brings the schema up to date; of several processes that start at once, one does the work and the others wait.
 * Lock and migrations share one connection: the embedded database has no second one.
 * @throws StartRefused without pgvector 0.8 or newer.
 */
export async function migrate(dataSource: DataSource): Promise<void> {
  await requireVectorExtension(dataSource);
  await changeSchema(dataSource, async (session) => {
    const executor = new MigrationExecutor(dataSource, session);
    executor.transaction = 'all';
    await executor.executePendingMigrations();
  });
}

/**
 * Changes the schema (migrations, indexes) in one process at a time; its statements take as long as they take. Also what
 * is made `if not exists` fails when two processes make it at once. After a failure the start ends, and the lock with its
 * connection.
 */
export async function changeSchema(
  dataSource: DataSource,
  work: (session: QueryRunner) => Promise<void>,
): Promise<void> {
  await withoutDeadline(dataSource, async (session) => {
    await session.query('select pg_advisory_lock($1)', [SCHEMA_LOCK]);
    await work(session);
    await session.query('select pg_advisory_unlock($1)', [SCHEMA_LOCK]);
  });
}

interface ExtensionVersions {
  readonly installed: string | null;
  readonly available: string;
}

/**
 * @returns the version of pgvector, installed or ready to be
 * @throws StartRefused without pgvector 0.8 or newer.
 */
export async function requireVectorExtension(dataSource: DataSource): Promise<string> {
  const [found] = await dataSource.query<ExtensionVersions[]>(
    `select installed_version as installed, default_version as available
     from pg_available_extensions where name = 'vector'`,
  );
  if (found === undefined) {
    throw new StartRefused('The database server has no pgvector: install the extension, 0.8 or newer');
  }
  const version = found.installed ?? found.available;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === 0 && minor < 8) {
    throw new StartRefused(
      `pgvector is ${version} and has to be 0.8 or newer: install it and run "alter extension vector update"`,
    );
  }
  return version;
}
