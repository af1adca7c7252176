import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/** Gives folders the path of their parent, which the database computes, so that subfolders are found by an index. */
export class FolderParents1700000046000 implements DescribedMigration {
  readonly about = 'indexes folders by their parent folder';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `alter table folders add column parent text collate "C"
         generated always as (left(path, length(path) - strpos(reverse(path), '/'))) stored`,
    );
    await queryRunner.query('create index folders_parent on folders (app_id, parent)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table folders drop column parent');
  }
}
