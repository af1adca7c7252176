import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/** Separates a tenant's id from the number of one of its shards. */
const SHARD_SEPARATOR = '\u001f';

interface FolderRow {
  readonly app_id: string;
  readonly folder_id: string;
  readonly path: string;
  readonly target: string;
  /** Who may read and change the folder, as JSON. */
  readonly access: string;
}

/**
 * Gives names and metadata one spelling: composed characters (NFC). Keeps what was given beside it. Folders whose paths
 * differ only in their spelling become one folder, unless other people may read them.
 */
export class Spelling1700000041000 implements DescribedMigration {
  readonly about = 'gives names and metadata one spelling, and joins folders that differ only in it';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
    const misspelt = (await queryRunner.query(
      `select ${FOLDER}, normalize(f.path) as target from folders f where f.path is not nfc normalized
       order by length(f.path), f.path`,
    )) as FolderRow[];
    // The first shard of a tenant has all folders, the others have copies.
    for (const folder of misspelt.filter(({ app_id: id }) => !id.includes(SHARD_SEPARATOR))) {
      const copies = misspelt
        .filter(({ app_id: id, folder_id }) => isPartOf(id, folder.app_id) && folder_id === folder.folder_id)
        .map(({ app_id: id }) => id);
      await respell(queryRunner, folder, copies);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `update documents set filename = coalesce(given_filename, filename), metadata = metadata || given_metadata
       where given_filename is not null or given_metadata <> '{}'`,
    );
    await queryRunner.query('alter table documents drop column given_filename');
    await queryRunner.query('alter table documents drop column given_metadata');
  }
}

const STATEMENTS = [
  'alter table documents add column given_filename text',
  `alter table documents add column given_metadata jsonb not null default '{}'`,
  `update documents set given_filename = filename, filename = normalize(filename)
   where filename is not nfc normalized`,
  // Values that are spelt otherwise than in the new form, by key.
  `create function misspelt_values(metadata jsonb) returns jsonb language sql immutable parallel safe as $$
     select coalesce(jsonb_object_agg(normalize(k.key), k.value), '{}') from jsonb_each(metadata) k
     where k.value::text is not nfc normalized
   $$`,
  `update documents set given_metadata = misspelt_values(metadata), metadata = normalize(metadata::text)::jsonb,
     metadata_types = normalize(metadata_types::text)::jsonb
   where metadata::text is not nfc normalized or metadata_types::text is not nfc normalized`,
  'drop function misspelt_values',
];

const FOLDER = `f.app_id, f.folder_id, f.path,
  jsonb_build_array(f.end_user_id, f.access, f.folder_access)::text as access`;

function isPartOf(appId: string, tenant: string): boolean {
  return appId === tenant || appId.startsWith(tenant + SHARD_SEPARATOR);
}

/** @param appIds the shards that have the folder */
async function respell(
  queryRunner: QueryRunner,
  folder: FolderRow,
  appIds: readonly string[],
): Promise<void> {
  let path = folder.target;
  for (let number = 2; ; number += 1) {
    const [other] = (await queryRunner.query(
      `select ${FOLDER} from folders f where f.app_id = $1 and f.path = $2`,
      [folder.app_id, path],
    )) as FolderRow[];
    if (other === undefined) break;
    if (other.access === folder.access) {
      for (const appId of appIds) await join(queryRunner, appId, folder.folder_id, other);
      return;
    }
    path = `${folder.target} (${number})`;
  }
  for (const appId of appIds) await rename(queryRunner, appId, folder.folder_id, path);
}

async function rename(queryRunner: QueryRunner, appId: string, id: string, path: string): Promise<void> {
  await queryRunner.query('update folders set path = $3 where app_id = $1 and folder_id = $2', [
    appId,
    id,
    path,
  ]);
  await queryRunner.query('update documents set folder_path = $3 where app_id = $1 and folder_id = $2', [
    appId,
    id,
    path,
  ]);
}

/** Moves everything of a folder to another one, and removes the folder. */
async function join(queryRunner: QueryRunner, appId: string, id: string, into: FolderRow): Promise<void> {
  // A shard has copies of only those folders that have documents in it.
  await queryRunner.query(
    `insert into folders (app_id, folder_id, path, end_user_id, access, folder_access)
     select $1, $2, $3, f.end_user_id, f.access, f.folder_access from folders f
     where f.app_id = $1 and f.folder_id = $4 on conflict do nothing`,
    [appId, into.folder_id, into.path, id],
  );
  await queryRunner.query(
    'update documents set folder_id = $3, folder_path = $4 where app_id = $1 and folder_id = $2',
    [appId, id, into.folder_id, into.path],
  );
  for (const table of ['file_batches', 'file_batch_entries']) {
    await queryRunner.query(`update ${table} set folder_id = $3 where app_id = $1 and folder_id = $2`, [
      appId,
      id,
      into.folder_id,
    ]);
  }
  for (const [table, column] of [
    ['vector_stores', 'folder_id'],
    ['folder_summaries', 'subject_id'],
  ] as const) {
    const [kept] = (await queryRunner.query(
      `select count(*)::integer as count from ${table} where app_id = $1 and ${column} = $2`,
      [appId, into.folder_id],
    )) as { count: number }[];
    if (kept?.count !== 0) continue;
    await queryRunner.query(`update ${table} set ${column} = $3 where app_id = $1 and ${column} = $2`, [
      appId,
      id,
      into.folder_id,
    ]);
  }
  await queryRunner.query('delete from folders where app_id = $1 and folder_id = $2', [appId, id]);
}
