import { fc } from '../support/properties.js';
import sql, { join, raw } from 'sql-template-tag';
import { type Scope, scopeOf as scopeOfKey } from '../../src/auth/scope.js';
import { documentPredicate, type DocumentSelection } from '../../src/filters/document-predicate.js';
import { parseFilter } from '../../src/filters/parse/parse-filter.js';
import { printJson } from '../../src/json/exact-json.js';
import { typeMetadata } from '../../src/metadata/typed-metadata.js';
import { openTestDatabase, type TestDatabase } from '../support/database.js';
import { documents, filters } from './arbitraries.js';

const TENANTS = ['t', 'u', "t' or true --"];
const FOLDERS = ['/', '/a', '/a/b', '/a/b/c', '/a/bc', '/a%', '/a_/b', '/A', '/漢/字', "/it's"];
const END_USERS = ['ann', 'bob', ''];
const STATUSES = ['completed', 'processing', 'failed'] as const;

const placed = fc.record({
  tenant: fc.constantFrom(...TENANTS),
  folder: fc.option(fc.constantFrom(...FOLDERS.slice(1))),
  endUser: fc.option(fc.constantFrom(...END_USERS)),
  status: fc.constantFrom(...STATUSES),
  document: documents,
});

const selections = fc.record({
  filter: fc.option(filters),
  folders: fc.option(fc.array(fc.constantFrom(...FOLDERS), { maxLength: 3 })),
  folderDepth: fc.integer({ min: -1, max: 3 }),
  endUserId: fc.option(fc.constantFrom(...END_USERS)),
  ids: fc.option(fc.array(fc.nat(39), { maxLength: 20 })),
  status: fc.option(fc.constantFrom(...STATUSES)),
});

const idOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const scopeOf = (appId: string): Scope => scopeOfKey(appId, [], 'key');

describe('combined selections', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    const insert = sql`insert into apps (app_id, name) select name, name from unnest(${TENANTS}::text[]) as name`;
    await database.dataSource.query(insert.text, insert.values);
  }, 60_000);
  afterAll(() => database.close());

  it('never leave the tenant, and shrink with every added restriction', async () => {
    const batch = fc.tuple(
      fc.array(placed, { minLength: 1, maxLength: 40, size: 'max' }),
      fc.array(fc.tuple(fc.constantFrom(...TENANTS), selections), { minLength: 20, maxLength: 20 }),
    );
    await fc.assert(
      fc.asyncProperty(batch, async ([stored, asked]) => {
        await store(stored);
        for (const [index, [whole, ...parts]] of (await select(asked)).entries()) {
          const tenant = new Set(
            stored.flatMap((each, place) => (each.tenant === asked[index]?.[0] ? [idOf(place)] : [])),
          );
          expect([...(whole ?? [])].filter((id) => !tenant.has(id))).toEqual([]);
          // All restrictions together select the intersection of what each one selects alone.
          const intersection = [...tenant].filter((id) => parts.every((part) => part.includes(id)));
          expect([...(whole ?? [])].sort()).toEqual(intersection.sort());
        }
      }),
      { numRuns: Number(process.env['SCOPE_RUNS'] ?? 25) },
    );
  }, 600_000);

  type Placed = typeof placed extends fc.Arbitrary<infer T> ? T : never;
  type Asked = typeof selections extends fc.Arbitrary<infer T> ? T : never;

  async function store(stored: readonly Placed[]): Promise<void> {
    await database.dataSource.query('delete from documents');
    const rows = stored.map(({ document, ...place }, index) => ({
      ...place,
      id: idOf(index),
      filename: document.filename,
      ...typeMetadata({ metadata: document.metadata, loc: ['metadata'], typesLoc: ['types'] }),
    }));
    const insert = sql`insert into documents (app_id, status, content_type, external_id, filename, folder_path, end_user_id, metadata, metadata_types) select r ->> 'tenant', r ->> 'status', 'text/plain', (r ->> 'id')::uuid, r ->> 'filename', r ->> 'folder', r ->> 'endUser', r -> 'metadata', r -> 'metadataTypes' from jsonb_array_elements(${printJson(rows)}::jsonb) as r`;
    await database.dataSource.query(insert.text, insert.values);
  }

  /** Returns the selected ids of each selection, and those of each of its restrictions alone. */
  async function select(
    asked: readonly (readonly [string, Asked])[],
  ): Promise<readonly (readonly (readonly string[])[])[]> {
    const queries = asked.map(([tenant, { ids, filter, folders, folderDepth, endUserId, status }]) => {
      const tree = filter === null ? null : parseFilter(filter, ['filters']);
      const documentIds = ids?.map(idOf) ?? null;
      const parts: readonly DocumentSelection[] = [
        { filter: tree, folders, folderDepth, endUserId, documentIds, status },
        { filter: tree },
        { folders, folderDepth },
        { endUserId },
        { documentIds },
        { status },
      ];
      return parts.map((part) => documentPredicate(scopeOf(tenant), part));
    });
    const columns = queries.flatMap((parts, index) =>
      parts.map(
        (part, place) =>
          sql`array(select d.external_id::text from documents d where ${part}) as ${raw(`p${index}_${place}`)}`,
      ),
    );
    const statement = sql`select ${join(columns)}`;
    const [row]: readonly Readonly<Record<string, readonly string[]>>[] = await database.dataSource.query(
      statement.text,
      statement.values,
    );
    return queries.map((parts, index) => parts.map((_, place) => row?.[`p${index}_${place}`] ?? []));
  }
});
