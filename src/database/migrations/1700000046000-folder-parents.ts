import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

const PARENT = `left(path, length(path) - strpos(reverse(path), '/'))`;

/** Gives folders the path of their parent, which the database computes, so that subfolders are found by an index. */
export class FolderParents1700000046000 implements DescribedMigration {
  readonly about = 'indexes folders by their parent folder';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `alter table folders add column parent text collate "C" generated always as (${PARENT}) stored`,
    );
    await queryRunner.query(
      // TypeORM compares this table with its entities.
      `insert into typeorm_metadata (type, database, schema, "table", name, value)
       values ('GENERATED_COLUMN', current_database(), current_schema(), 'folders', 'parent', $1)`,
      [PARENT],
    );
    await queryRunner.query('create index folders_parent on folders (app_id, parent)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table folders drop column parent');
    await queryRunner.query(
      `delete from typeorm_metadata where type = 'GENERATED_COLUMN' and "table" = 'folders' and name = 'parent'`,
    );
  }
}
