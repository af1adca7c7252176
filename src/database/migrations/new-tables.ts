import type { QueryRunner } from 'typeorm';

/** A tenant table that a migration creates. */
export interface NewTable {
  readonly name: string;
  readonly columns: string;
  /**
   * Foreign keys. They are added after the table is distributed, because on a cluster both tables of a foreign key must
   * be distributed first.
   */
  readonly foreignKeys: readonly string[];
  readonly indexes: readonly string[];
}

/** Creates tables. On a cluster, distributes them by tenant. */
export async function createTables(queryRunner: QueryRunner, tables: readonly NewTable[]): Promise<void> {
  const isCluster = await isDistributed(queryRunner);
  for (const { name, columns, foreignKeys, indexes } of tables) {
    await queryRunner.query(`create table ${name} (${columns})`);
    if (isCluster) {
      await queryRunner.query(
        `select create_distributed_table('${name}', 'app_id', colocate_with => 'documents')`,
      );
    }
    for (const key of foreignKeys) await queryRunner.query(`alter table ${name} add ${key}`);
    for (const index of indexes) await queryRunner.query(index);
  }
}

export async function dropTables(queryRunner: QueryRunner, tables: readonly NewTable[]): Promise<void> {
  for (const { name } of [...tables].reverse()) await queryRunner.query(`drop table ${name}`);
}

async function isDistributed(queryRunner: QueryRunner): Promise<boolean> {
  const extensions = (await queryRunner.query(
    `select from pg_extension where extname = 'citus'`,
  )) as unknown[];
  if (extensions.length === 0) return false;
  const tables = (await queryRunner.query(
    `select from pg_dist_partition where logicalrelid = 'documents'::regclass and partmethod = 'h'`,
  )) as unknown[];
  return tables.length > 0;
}
