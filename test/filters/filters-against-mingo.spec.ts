import { fc } from '../support/properties.js';
import sql, { join, raw } from 'sql-template-tag';
import { compileFilter } from '../../src/filters/sql/compile-filter.js';
import { EVERYTHING } from '../../src/filters/filter.js';
import { typeMetadata } from '../../src/metadata/typed-metadata.js';
import { isInRange, rangesOf, withinRange } from '../../src/filters/sql/ordered-range.js';
import { parseFilter } from '../../src/filters/parse/parse-filter.js';
import { printJson } from '../../src/json/exact-json.js';
import { composed, composedJson } from '../../src/json/spelling.js';
import { openTestDatabase, type TestDatabase } from '../support/database.js';
import { documents, filters } from './arbitraries.js';
import { mingoMatches, type StoredDocument } from './mingo-oracle.js';

type Generated = typeof documents extends fc.Arbitrary<infer T> ? T : never;

const FILTERS_PER_SET = 40;
const MARKS: ReadonlySet<string> = new Set(['NULL', 'LOST', 'UNLIKE']);
const RUNS = Number(process.env['FILTER_RUNS'] ?? 2_000);

describe('filters over random documents', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    await database.dataSource.query("insert into apps (app_id, name) values ('t', 't')");
  }, 60_000);
  afterAll(() => database.close());

  it('select the same documents as mingo', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(documents, { minLength: 1, maxLength: 12, size: 'max' }),
        fc.array(filters, { minLength: FILTERS_PER_SET, maxLength: FILTERS_PER_SET }),
        async (generated, asked) => {
          const stored = await store(generated);
          const selected = await select(asked);
          const expected = asked.map((filter) =>
            stored.filter((each) => mingoMatches(each, composedJson(filter))).map((each) => each.externalId),
          );
          const wrong = asked.flatMap((filter, index) => {
            const [ours, theirs] = [[...(selected[index] ?? [])].sort(), [...(expected[index] ?? [])].sort()];
            const document = stored.find(
              ({ externalId }) => ours.includes(externalId) !== theirs.includes(externalId),
            );
            const mark = ours.find((each) => MARKS.has(each));
            if (document === undefined && mark === undefined) return [];
            const found = mark ?? ours.includes(document?.externalId ?? '');
            return [{ filter: printJson(filter), document: printJson(document ?? stored), ours: found }];
          });
          expect(wrong.slice(0, 1)).toEqual([]);
        },
      ),
      {
        numRuns: Math.ceil(RUNS / FILTERS_PER_SET),
        endOnFailure: process.env['FILTER_SHRINK'] === undefined,
      },
    );
  }, 3_600_000);

  async function store(generated: readonly Generated[]): Promise<readonly StoredDocument[]> {
    await database.dataSource.query('delete from documents');
    const rows = generated.map(({ filename, metadata, typed }, index) => {
      const declared = Object.fromEntries(typed.map(([key, type]) => [composed(key), type]));
      const values = Object.fromEntries(typed.map(([key, , value]) => [key, value]));
      return {
        filename: composedJson(filename),
        externalId: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
        ...typeMetadata({
          metadata: composedJson({ ...metadata, ...values }),
          declared,
          loc: ['metadata'],
          typesLoc: ['types'],
        }),
      };
    });
    const insert = sql`insert into documents (app_id, status, content_type, external_id, filename, metadata, metadata_types) select 't', 'completed', 'text/plain', (r ->> 'externalId')::uuid, r ->> 'filename', r -> 'metadata', r -> 'metadataTypes' from jsonb_array_elements(${printJson(rows)}::jsonb) as r`;
    await database.dataSource.query(insert.text, insert.values);
    return rows;
  }

  async function select(asked: readonly Record<string, unknown>[]): Promise<readonly (readonly string[])[]> {
    const parsed = asked.map((filter) => parseFilter(filter, ['filters']) ?? EVERYTHING);
    // Marks violations: NULL (the predicate is NULL for a document), LOST (an index range of the filter
    // excludes a matching document), UNLIKE (the predicate compiled as a test differs from the predicate of a
    // search).
    const columns = parsed.map((filter, index) => {
      const predicate = compileFilter(filter);
      const parts = rangesOf(filter).flatMap((range) => [
        withinRange('t', range),
        sql`(${isInRange(range)})`,
      ]);
      const kept = join([sql`true`, ...parts], ' and ');
      return sql`array(select external_id::text from documents d where ${predicate}) || array(select 'NULL' from documents d where (${predicate}) is null) || array(select 'LOST' from documents d where (${predicate}) and not coalesce(${kept}, false)) || array(select 'UNLIKE' from documents d where (${compileFilter(filter, 'test')}) is distinct from (${predicate})) as ${raw(`f${index}`)}`;
    });
    const statement = sql`select ${join(columns)}`;
    const [row]: readonly Readonly<Record<string, readonly string[]>>[] = await database.dataSource.query(
      statement.text,
      statement.values,
    );
    return parsed.map((_, index) => row?.[`f${index}`] ?? []);
  }
});
