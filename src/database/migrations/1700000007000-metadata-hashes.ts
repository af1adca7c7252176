import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One number for each text, number and boolean under a top-level key, and for each such element of an array there. An
 * index over them finds documents that have one of many values without trying each of the values on every document
 * found, as the index over the metadata itself must. The numbers of `{"key": ["a", "b"]}` are those of "a" and of "b"
 * under the key, so that the same function makes what is looked for.
 */
export class MetadataHashes1700000007000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `create function hash_metadata(metadata jsonb) returns bigint[]
       language sql immutable strict parallel safe as $$
         select array(
           select hashtextextended(k.key collate "C", jsonb_hash_extended(e, 0))
           from jsonb_each(metadata) k
           cross join lateral jsonb_path_query(k.value, 'lax $[*]') e
           where jsonb_typeof(e) in ('string', 'number', 'boolean')
         )
       $$`,
    );
    await queryRunner.query(
      'alter table documents add metadata_hashes bigint[] not null generated always as (hash_metadata(metadata)) stored',
    );
    await queryRunner.query(
      'create index documents_metadata_hashes on documents using gin (metadata_hashes)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table documents drop column metadata_hashes');
    await queryRunner.query('drop function hash_metadata');
  }
}
