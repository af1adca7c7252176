import sql, { raw } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { run } from '../../src/database/run.js';
import { changeSchema } from '../../src/database/migrate.js';
import { CHUNKS, PAGES, type Space } from '../../src/chunks/vectors/vector-space.js';
import { check, type Check } from './check.js';
import { Collected, type Found } from './found.js';

interface MissingIndex {
  readonly name: string;
  readonly creation: string;
}

/**
 * Indexes that the entities cannot describe, or whose operator classes or sort order they cannot describe. The trigram
 * index on file names is not listed because it is optional: the database role may lack the right to create its
 * extension.
 */
const UNDESCRIBED: readonly MissingIndex[] = [
  {
    name: 'chunks_terms',
    creation: 'create index if not exists chunks_terms on chunks using gin (terms) with (fastupdate = off)',
  },
  {
    name: 'documents_metadata',
    creation:
      'create index if not exists documents_metadata on documents using gin (metadata jsonb_path_ops)',
  },
  {
    name: 'documents_sample',
    creation:
      'create index if not exists documents_sample on documents (app_id, uuid_hash_extended(external_id, 0))',
  },
  {
    name: 'pages_fingerprint',
    creation:
      'create index if not exists pages_fingerprint on pages using hnsw (fingerprint bit_hamming_ops)',
  },
  {
    name: 'chats_identity',
    creation: `create unique index if not exists chats_identity on conversations (app_id, chat_id, (coalesce(owner, '')))`,
  },
];

/** Checks that all indexes exist and are usable. The checks apply to the whole installation. */
export const INDEX_CHECKS: readonly Check[] = [
  check<{ readonly name: string }>({
    name: 'invalid indexes',
    rule: 'Every index is valid',
    remedy: 'Build the index again; writes to its table wait meanwhile',
    statement: () =>
      sql`select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
              where c.relnamespace = current_schema()::regnamespace and not (i.indisvalid and i.indisready)`,
    describe: ({ name }) => name,
    async repair({ dataSource }, _, damages) {
      for (const { name } of damages) {
        await changeSchema(dataSource, async (manager) => {
          await run(manager, raw(`reindex index "${name}"`));
        });
      }
    },
  }),
  check<MissingIndex>({
    name: 'missing indexes',
    rule: 'Every index of the schema exists',
    remedy: 'Create the index; writes to its table wait meanwhile',
    find: ({ dataSource }, _, limit) => missing(dataSource, limit),
    describe: ({ name }) => name,
    async repair({ dataSource }, _, damages) {
      for (const { creation } of damages) {
        await changeSchema(dataSource, async (manager) => {
          await run(manager, raw(creation));
        });
      }
    },
  }),
];

async function missing(dataSource: DataSource, limit: number): Promise<Found<MissingIndex>> {
  const found = new Collected<MissingIndex>(limit);
  const rows = await run<{ name: string }>(
    dataSource,
    sql`select indexname as name from pg_indexes where schemaname = current_schema()`,
  );
  const present = new Set(rows.map(({ name }) => name));
  const wanted = [...described(dataSource), ...UNDESCRIBED, ...(await ofVectors(dataSource))];
  for (const index of wanted) if (!present.has(index.name)) found.add(index);
  return found;
}

/** Returns the indexes that the entities describe. */
function described({ entityMetadatas }: DataSource): MissingIndex[] {
  const others = new Set(UNDESCRIBED.map(({ name }) => name));
  return entityMetadatas.flatMap(({ tableName, indices }) =>
    indices
      .filter(({ name, synchronize }) => synchronize && !others.has(name))
      .map(({ name, columns, isUnique, type, where }) => {
        const list = columns.map(({ databaseName }) => databaseName).join(', ');
        const using = type === undefined ? '' : ` using ${type}`;
        const predicate = where === undefined ? '' : ` where ${where}`;
        const unique = isUnique ? 'unique ' : '';
        return {
          name,
          creation: `create ${unique}index if not exists ${name} on ${tableName}${using} (${list})${predicate}`,
        };
      }),
  );
}

/** Returns the indexes of the vector spaces that are in use. */
async function ofVectors(dataSource: DataSource): Promise<MissingIndex[]> {
  const indexes: MissingIndex[] = [];
  for (const { space, index } of [CHUNKS, PAGES]) {
    const [stored] = await run<{ value: Space }>(
      dataSource,
      sql`select value from service_state where name = ${space}`,
    );
    const wanted = stored === undefined ? null : index(dataSource, stored.value.dimensions);
    if (wanted !== null) indexes.push({ name: wanted.name, creation: wanted.creation().text });
  }
  return indexes;
}
