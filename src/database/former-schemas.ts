import { Logger } from '@nestjs/common';
import type { QueryRunner } from 'typeorm';
import { StartRefused } from '../errors/index.js';
import { STEPS_OF_NOVEMBER_23 } from './migrations/former/november-23.js';
import { STEPS_OF_NOVEMBER_25 } from './migrations/former/november-25.js';
import { Initial1700000030000 } from './migrations/1700000030000-initial.js';
import { migrations } from './migrations/index.js';

/** The last step of November 23. A database that was created on November 24 has only this record of them. */
const ALL_OF_NOVEMBER_23 = 'FairQueues1700000018000';

const FORMER = new Set([
  'Initial1700000000000',
  ...[...STEPS_OF_NOVEMBER_23, ...STEPS_OF_NOVEMBER_25].map(({ name }) => name),
]);

const logger = new Logger('Database');

/**
 * Brings a database from before {@link Initial1700000030000}, or with that migration in its first form, to the schema
 * that the migration creates today. Runs in the transaction of the migrations, before them. Does nothing to other
 * databases.
 * @param recorded names of the migrations that the database has
 * @throws StartRefused if the tables are older than the first recorded steps
 */
export async function adoptFormerSchema(
  queryRunner: QueryRunner,
  recorded: readonly string[],
): Promise<void> {
  if (recorded.some((name) => FORMER.has(name))) await runSteps(queryRunner, recorded);
  else if (!recorded.includes(Initial1700000030000.name)) await refuseUnrecordedTables(queryRunner);
  await renameParts(queryRunner);
}

/** Whether a migration is one of this version or of an unreleased version that this version upgrades. */
export function isKnownMigration(name: string): boolean {
  return FORMER.has(name) || migrations.some((migration) => migration.name === name);
}

async function runSteps(queryRunner: QueryRunner, recorded: readonly string[]): Promise<void> {
  if (!(await queryRunner.hasColumn('chunks', 'revision'))) throw tooOld();
  const first = recorded.includes(ALL_OF_NOVEMBER_23) ? [] : STEPS_OF_NOVEMBER_23;
  for (const { name, about, up } of [...first, ...STEPS_OF_NOVEMBER_25]) {
    if (recorded.includes(name)) continue;
    logger.log(`Upgrading from an unreleased version, ${name}: ${about}`);
    await up(queryRunner);
  }
  await queryRunner.query('delete from migrations where name = any($1)', [[...FORMER]]);
  await queryRunner.query('insert into migrations ("timestamp", name) values ($1, $2)', [
    Number(Initial1700000030000.name.slice(-13)),
    Initial1700000030000.name,
  ]);
}

/** The first form of the initial migration called the number of a tenant's shards `parts`. */
async function renameParts(queryRunner: QueryRunner): Promise<void> {
  if (!(await queryRunner.hasColumn('apps', 'parts'))) return;
  await queryRunner.query('alter table apps rename column parts to shards');
  await queryRunner.query('alter table apps rename constraint apps_parts_check to apps_shards_check');
}

async function refuseUnrecordedTables(queryRunner: QueryRunner): Promise<void> {
  if (await queryRunner.hasTable('service_state')) throw tooOld();
}

function tooOld(): StartRefused {
  return new StartRefused(
    'The tables in this database are of a version before the first recorded schema, and cannot be migrated: start the version that wrote them, and copy its documents into an empty database with "lectern import"',
  );
}
