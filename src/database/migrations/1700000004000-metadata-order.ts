import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What lies in the metadata in order, for ranges: a row for the number or text under a top-level key; for an array, rows
 * for its least and greatest number and text, marked as spread. Dates are seconds since 1970, decimals numbers. Texts
 * are cut and long keys left out, so that a row fits its index: a range over these rows finds every document that the
 * filter selects, and some others. A trigger keeps them, because metadata is written in more than one place.
 */
export class MetadataOrder1700000004000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop trigger documents_metadata_inserted on documents');
    await queryRunner.query('drop trigger documents_metadata_updated on documents');
    await queryRunner.query('drop function write_metadata_order');
    await queryRunner.query('drop function metadata_order_of');
    await queryRunner.query('drop table metadata_order');
  }
}

const STATEMENTS = [
  `create table metadata_order (
     app_id text collate "C" not null,
     document_id uuid not null,
     name text collate "C" not null,
     spread boolean not null,
     number numeric,
     text text collate "C",
     foreign key (app_id, document_id) references documents (app_id, external_id) on delete cascade
   )`,
  `create function metadata_order_of(metadata jsonb, types jsonb)
   returns table (name text, spread boolean, number numeric, text text) language sql stable as $$
     select k.key, jsonb_typeof(k.value) = 'array', b.number, b.text
     from jsonb_each(metadata) k
     cross join lateral (
       select min(v.number) as least, max(v.number) as greatest, min(v.text) as first, max(v.text) as last
       from (
         select
           case when jsonb_typeof(e) = 'number' then (e #>> '{}')::numeric
                when jsonb_typeof(e) <> 'string' then null
                when types ->> k.key = 'decimal' then (e #>> '{}')::numeric
                when types ->> k.key = 'date' then extract(epoch from ((e #>> '{}') || ' UTC')::timestamptz)::numeric
                when types ->> k.key = 'datetime' then extract(epoch from ((e #>> '{}') ||
                  case when substr(e #>> '{}', 11) ~ '[-+Zz]' then '' else ' UTC' end)::timestamptz)::numeric
           end as number,
           case when jsonb_typeof(e) = 'string' and coalesce(types ->> k.key, '') not in ('decimal', 'date', 'datetime')
                then left(e #>> '{}', 100) collate "C" end as text
         from jsonb_path_query(k.value, 'lax $[*]') e
       ) v
     ) s
     cross join lateral (values
       (s.least, null::text), (nullif(s.greatest, s.least), null), (null, s.first), (null, nullif(s.last, s.first))
     ) b(number, text)
     where length(k.key) <= 200 and (b.number is not null or b.text is not null)
   $$`,
  `create function write_metadata_order() returns trigger language plpgsql as $$
   begin
     if tg_op = 'UPDATE' then
       delete from metadata_order o where o.app_id = new.app_id and o.document_id = new.external_id;
     end if;
     insert into metadata_order (app_id, document_id, name, spread, number, text)
     select new.app_id, new.external_id, o.name, o.spread, o.number, o.text
     from metadata_order_of(new.metadata, new.metadata_types) o;
     return null;
   end $$`,
  `insert into metadata_order (app_id, document_id, name, spread, number, text)
   select d.app_id, d.external_id, o.name, o.spread, o.number, o.text
   from documents d cross join lateral metadata_order_of(d.metadata, d.metadata_types) o`,
  `create index metadata_order_number on metadata_order (app_id, name, spread, number, document_id) where number is not null`,
  `create index metadata_order_text on metadata_order (app_id, name, spread, text, document_id) where text is not null`,
  `create index metadata_order_document on metadata_order (app_id, document_id)`,
  `create trigger documents_metadata_inserted after insert on documents
   for each row when (new.metadata <> '{}') execute function write_metadata_order()`,
  `create trigger documents_metadata_updated after update of metadata, metadata_types on documents
   for each row when (new.metadata is distinct from old.metadata or new.metadata_types is distinct from old.metadata_types)
   execute function write_metadata_order()`,
];
