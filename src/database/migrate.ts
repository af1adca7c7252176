import { Logger } from '@nestjs/common';
import sql from 'sql-template-tag';
import { MigrationExecutor, type DataSource, type EntityManager } from 'typeorm';
import { VERSION } from '../config/package-root.js';
import { StartRefused } from '../errors/index.js';
import { isEmbedded } from './data-source.js';
import { withoutDeadline } from './deadline.js';
import { adoptFormerSchema, isKnownMigration } from './former-schemas.js';
import type { DescribedMigration } from './migrations/described-migration.js';
import { migrations } from './migrations/index.js';
import { recordedMigrations } from './recorded-migrations.js';
import { run, type Queryable } from './run.js';

/** Advisory lock ("lect" as a number). Only its holder may change the schema. */
const SCHEMA_LOCK = 0x6c656374;

/** Interval of progress messages, in milliseconds. */
const PROGRESS_EVERY_MS = 10_000;

/** Interval at which the server checks that the client is still connected, in milliseconds. */
const CLIENT_CHECK_MS = 10_000;

const logger = new Logger('Database');

/**
 * Migrates the schema in one transaction and logs the progress. If several processes start at once, one process migrates
 * and the others wait.
 * @throws StartRefused without pgvector 0.8 or newer, or if a later version has migrated the database.
 */
export async function migrate(dataSource: DataSource): Promise<void> {
  await requireVectorExtension(dataSource);
  await changeSchema(dataSource, async (manager) => {
    const { queryRunner } = manager;
    if (queryRunner === undefined) throw new Error('a schema change needs its transaction');
    await adoptFormerSchema(queryRunner, await requireKnown(manager));
    const executor = new MigrationExecutor(dataSource, queryRunner);
    const pending = await executor.getPendingMigrations();
    for (const [index, migration] of pending.entries()) {
      const { about } = migration.instance as DescribedMigration;
      logger.log(`Migration ${index + 1} of ${pending.length}, ${migration.name}: ${about}`);
      await executor.executeMigration(migration);
    }
    if (pending.length > 0) logger.log('The schema is up to date');
  });
}

/** @throws StartRefused if the database is empty, or if its schema is that of an earlier or of a later version. */
export async function requireMigrated(dataSource: DataSource): Promise<void> {
  const recorded = new Set(await requireKnown(dataSource));
  if (migrations.every(({ name }) => recorded.has(name))) return;
  throw new StartRefused(
    recorded.size === 0
      ? 'The database has no tables of Lectern yet: start the service once, or run "lectern migrate"'
      : 'The database has the schema of an earlier version of Lectern: back it up and run "lectern migrate" first',
  );
}

/**
 * Creates the tables in an empty database. Never upgrades a database, because only a start of the service and
 * `lectern migrate` do.
 * @throws StartRefused like {@link migrate} and {@link requireMigrated}
 */
export async function migrateEmpty(dataSource: DataSource): Promise<void> {
  if ((await recordedMigrations(dataSource)).length === 0) await migrate(dataSource);
  else await requireMigrated(dataSource);
}

/**
 * Returns the migrations of the database.
 * @throws StartRefused if this version does not know one of them: its statements would not fit the tables.
 */
async function requireKnown(database: Queryable): Promise<string[]> {
  const recorded = await recordedMigrations(database);
  const later = recorded.filter((name) => !isKnownMigration(name)).at(-1);
  if (later === undefined) return recorded;
  throw new StartRefused(laterVersion(later));
}

/** Tells an operator that a later version has migrated the database. */
export function laterVersion(migration: string): string {
  return `A later version of Lectern has migrated this database (${migration}), which version ${VERSION} cannot use: start that version, or restore the backup from before its upgrade`;
}

/**
 * Changes the schema (migrations, indexes) in one transaction without deadlines. An advisory lock ensures that only one
 * process at a time changes the schema, because even `create ... if not exists` fails if two processes create the same
 * object at once. The lock belongs to the transaction and not to the session. Behind a pooler, a session lock would
 * stay on a connection that other clients use next.
 * @param work changes the schema; must use the given manager, because the embedded database has no second connection.
 */
export async function changeSchema(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<void>,
): Promise<void> {
  await dataSource.transaction((manager) =>
    withoutDeadline(manager, async () => {
      await endWithClient(dataSource, manager);
      await inSequence(manager);
      const [row] = await run<{ isFree: boolean }>(
        manager,
        sql`select pg_try_advisory_xact_lock(${SCHEMA_LOCK}) as "isFree"`,
      );
      if (row?.isFree !== true) {
        logger.log(`Waiting for another process that is changing the schema (advisory lock ${SCHEMA_LOCK})`);
        await run(manager, sql`select pg_advisory_xact_lock(${SCHEMA_LOCK})`);
      }
      await reportingProgress(dataSource, manager, () => work(manager));
    }),
  );
}

/**
 * Makes the server check during a statement whether the client is still connected. If the client is not, the server
 * ends the statement. Without this check, the statement of a killed process would continue and keep the lock.
 * PostgreSQL 14 and later support the check, except on Windows.
 */
async function endWithClient(dataSource: DataSource, manager: EntityManager): Promise<void> {
  if (isEmbedded(dataSource)) return;
  await run(
    manager,
    sql`select set_config(name, ${String(CLIENT_CHECK_MS)}, true) from pg_settings
        where name = 'client_connection_check_interval' and version() !~* 'visual c|mingw|msvc'`,
  );
}

/**
 * Makes Citus change shards one after the other. After parallel changes, Citus does not allow a change of reference
 * tables in the same transaction. Has no effect on a single server.
 */
async function inSequence(manager: EntityManager): Promise<void> {
  await run(manager, sql`select set_config('citus.multi_shard_modify_mode', 'sequential', true)`);
}

async function reportingProgress(
  dataSource: DataSource,
  manager: EntityManager,
  work: () => Promise<void>,
): Promise<void> {
  const begun = performance.now();
  const [backend] = await run<{ pid: number }>(manager, sql`select pg_backend_pid() as pid`);
  const report = async (): Promise<void> => {
    const seconds = Math.round((performance.now() - begun) / 1_000);
    // The only connection of the embedded database is busy with the change.
    const step = isEmbedded(dataSource) ? undefined : await runningStep(dataSource, backend?.pid);
    logger.log(`Still changing the schema after ${seconds} s${step === undefined ? '' : `: ${step}`}`);
  };
  const timer = setInterval(() => {
    // A failure of this report must not fail the schema change, which reports its own errors.
    report().catch((error: unknown) => {
      logger.debug({ err: error }, 'cannot read the progress of the schema change');
    });
  }, PROGRESS_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

/** Describes what a server process is doing: its statement and, if it builds an index, the progress. */
async function runningStep(dataSource: DataSource, pid: number | undefined): Promise<string | undefined> {
  const [step] = await run<{ statement: string; phase: string | null; percent: number | null }>(
    dataSource,
    sql`select left(regexp_replace(a.query, '\\s+', ' ', 'g'), 100) as statement, p.phase,
          (100 * p.blocks_done / nullif(p.blocks_total, 0))::integer as percent
        from pg_stat_activity a left join pg_stat_progress_create_index p on p.pid = a.pid
        where a.pid = ${pid}`,
  );
  if (step === undefined) return undefined;
  const percent = step.percent === null ? '' : `, ${step.percent} %`;
  return step.statement + (step.phase === null ? '' : ` (${step.phase}${percent})`);
}

interface ExtensionVersions {
  readonly installed: string | null;
  readonly available: string;
}

/**
 * Checks that pgvector is available.
 * @returns the installed or available version of pgvector
 * @throws StartRefused without pgvector 0.8 or newer.
 */
export async function requireVectorExtension(dataSource: DataSource): Promise<string> {
  const [found] = await dataSource.query<ExtensionVersions[]>(
    `select installed_version as installed, default_version as available
     from pg_available_extensions where name = 'vector'`,
  );
  if (found === undefined) {
    throw new StartRefused('The database server lacks pgvector: install the extension, version 0.8 or newer');
  }
  const version = found.installed ?? found.available;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === 0 && minor < 8) {
    throw new StartRefused(
      `pgvector is ${version} but must be 0.8 or newer: install it and run "alter extension vector update"`,
    );
  }
  return version;
}
