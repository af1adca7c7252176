import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Page images and their vectors. A page is seen when its revision is one of its document's `page_revisions`, as chunks
 * are by `live_revisions`. The index over the encodings is made at start, when their length is known.
 */
export class Pages1700000013000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table documents add column page_revisions bigint[] not null default '{}'`);
    await queryRunner.query(`
      create table pages (
        document_id uuid not null,
        app_id text not null,
        page_number integer not null,
        revision bigint not null,
        page_id bigint generated always as identity,
        object_key text not null,
        width integer not null,
        height integer not null,
        content text not null,
        context text not null default '',
        vectors bytea not null,
        vector_count integer not null,
        encoding halfvec not null,
        fingerprint bytea,
        primary key (document_id, app_id, page_number, revision),
        unique (app_id, page_id),
        foreign key (app_id, document_id) references documents (app_id, external_id) on delete cascade
      )`);
    // Vectors do not get smaller by compression, and are read whole.
    await queryRunner.query('alter table pages alter column vectors set storage external');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table pages');
    await queryRunner.query('alter table documents drop column page_revisions');
  }
}
