import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Summaries that people or programs write for documents and folders, in all their versions. */
export class Summaries1700000015000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [summaryTable('document', 'external_id'), summaryTable('folder', 'folder_id')]) {
      await queryRunner.query(statement);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table document_summaries, folder_summaries');
  }
}

function summaryTable(subject: 'document' | 'folder', key: string): string {
  return `create table ${subject}_summaries (
    app_id text not null,
    subject_id uuid not null,
    version integer not null,
    content text not null,
    updated_at timestamptz not null default now(),
    primary key (app_id, subject_id, version),
    foreign key (app_id, subject_id) references ${subject}s (app_id, ${key}) on delete cascade
  )`;
}
