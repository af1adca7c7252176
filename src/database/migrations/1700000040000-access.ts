import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/** Tables whose rows belong to an end user or to the whole tenant, and have no access lists. */
const OWNED = ['files', 'file_batches'];

/** Tables whose rows have access lists, their own or those of a folder. */
const LISTED = ['folders', 'documents'];

const OWNER = `'user:' || end_user_id`;
const READERS_OF_OWNED = 'access_readers(end_user_id, null)';
const READERS_OF_LISTED = 'access_readers(end_user_id, coalesce(access, folder_access))';

/**
 * Gives documents, folders, files and batches an owner and readers, which the database computes from the end user and
 * from the access lists. Nobody has lists yet, so the rows keep their readers: the end user, or everyone.
 */
export class Access1700000040000 implements DescribedMigration {
  readonly about = 'adds access lists to documents and folders, and groups of people';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table group_members');
    await queryRunner.query('drop table groups');
    for (const table of [...OWNED, ...LISTED]) {
      await queryRunner.query(`alter table ${table} drop column readers`);
      await queryRunner.query(`alter table ${table} drop column owner`);
    }
    for (const table of LISTED) {
      await queryRunner.query(`alter table ${table} drop column folder_access`);
      await queryRunner.query(`alter table ${table} drop column access`);
    }
    for (const column of ['claims', 'end_user_id']) {
      await queryRunner.query(`alter table folders drop column ${column}`);
    }
    await queryRunner.query('drop function access_readers');
    await queryRunner.query(
      `delete from typeorm_metadata where type = 'GENERATED_COLUMN' and name in ('owner', 'readers')`,
    );
  }
}

function generated(table: string, name: string, type: string, expression: string): string[] {
  return [
    `alter table ${table} add column ${name} ${type} generated always as (${expression}) stored`,
    // TypeORM compares this table with its entities.
    `insert into typeorm_metadata (type, database, schema, "table", name, value) values
       ('GENERATED_COLUMN', current_database(), current_schema(), '${table}', '${name}', '${expression.replaceAll("'", "''")}')`,
  ];
}

const STATEMENTS = [
  // The principals who may read a thing: its owner, and everybody on its lists. Without lists a thing of an end user is
  // private, and a thing of the tenant is for everyone.
  `create function access_readers(end_user_id text, lists jsonb) returns text[]
     language sql immutable parallel safe as $$
       select case when lists is null then array[coalesce('user:' || end_user_id, 'everyone')]
         else array(
           select 'user:' || end_user_id where end_user_id is not null
           union
           select jsonb_array_elements_text((lists -> 'readers') || (lists -> 'writers') || (lists -> 'admins'))
           order by 1
         ) end
     $$`,
  'alter table folders add column end_user_id text',
  // What a person sees of a folder that the person made although others had already made it in private.
  `alter table folders add column claims jsonb not null default '{}'`,
  ...LISTED.flatMap((table) => [
    `alter table ${table} add column access jsonb`,
    `alter table ${table} add column folder_access jsonb`,
  ]),
  ...[...OWNED, ...LISTED].flatMap((table) => [
    ...generated(table, 'owner', 'text', OWNER),
    ...generated(table, 'readers', 'text[]', OWNED.includes(table) ? READERS_OF_OWNED : READERS_OF_LISTED),
  ]),
  'create index documents_readers on documents using gin (readers)',
  // Both tables are read before the tenant of a key is known, so they have no place on the nodes of a cluster.
  `create table groups (
     app_id text not null references apps on delete cascade,
     group_id text collate "C" not null,
     name text,
     created_at timestamptz not null default now(),
     primary key (app_id, group_id)
   )`,
  `create table group_members (
     app_id text not null,
     group_id text collate "C" not null,
     end_user_id text collate "C" not null,
     added_at timestamptz not null default now(),
     primary key (app_id, group_id, end_user_id),
     foreign key (app_id, group_id) references groups on delete cascade
   )`,
  'create index group_members_person on group_members (app_id, end_user_id)',
];
