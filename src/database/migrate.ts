import { Logger } from '@nestjs/common';
import sql from 'sql-template-tag';
import { MigrationExecutor, type DataSource, type EntityManager } from 'typeorm';
import { StartRefused } from '../errors/index.js';
import { withoutDeadline } from './deadline.js';
import { run } from './run.js';

/** Key of the advisory lock that lets one process at a time change the schema: "lect" as a number. */
const SCHEMA_LOCK = 0x6c656374;

/**
 * Brings the schema up to date; of several processes that start at once, one does the work and the others wait.
 * @throws StartRefused without pgvector 0.8 or newer.
 */
export async function migrate(dataSource: DataSource): Promise<void> {
  await requireVectorExtension(dataSource);
  await changeSchema(dataSource, async ({ queryRunner }) => {
    await new MigrationExecutor(dataSource, queryRunner).executePendingMigrations();
  });
}

/**
 * Changes the schema (migrations, indexes) in one process at a time and one transaction, whose lock ends with it: behind
 * a pooler a lock of the session would stay on a connection that is somebody else's next. Its statements take as long as
 * they take. Also what is made `if not exists` fails when two processes make it at once.
 * @param work by the manager of the transaction: the embedded database has no second connection.
 */
export async function changeSchema(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<void>,
): Promise<void> {
  await dataSource.transaction((manager) =>
    withoutDeadline(manager, async () => {
      const [row] = await run<{ isFree: boolean }>(
        manager,
        sql`select pg_try_advisory_xact_lock(${SCHEMA_LOCK}) as "isFree"`,
      );
      if (row?.isFree !== true) {
        new Logger('Database').log(
          `Waiting for another process that changes the schema (advisory lock ${SCHEMA_LOCK})`,
        );
        await run(manager, sql`select pg_advisory_xact_lock(${SCHEMA_LOCK})`);
      }
      await work(manager);
    }),
  );
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
