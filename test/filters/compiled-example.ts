import sql, { type Sql } from 'sql-template-tag';
import { compileFilter } from '../../src/filters/sql/compile-filter.js';
import { parseFilter } from '../../src/filters/parse/parse-filter.js';
import type { TestDatabase } from '../support/database.js';
import { openTestDatabase, overRows } from './over-rows.js';
import { DOCUMENTS, select, storeDocuments } from './stored-documents.js';

/** A filter, its SQL, and the documents of {@link DOCUMENTS} that it selects. */
export interface CompiledExample {
  readonly title: string;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly selects: readonly string[];
}

/** Tests that each filter compiles to this SQL, is never NULL, and selects these documents. */
export function describeCompilation(name: string, examples: readonly CompiledExample[]): void {
  describe(`${name}, compiled to SQL`, () => {
    it.each(examples)('$title', ({ filter, text, values }) => {
      const predicate = compiled(filter);
      expect({ text: predicate.text, values: predicate.values }).toEqual({ text, values });
    });
  });

  overRows(`${name}, over rows`, () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await openTestDatabase();
      await storeDocuments(database.dataSource);
    }, 60_000);
    afterAll(() => database.close());

    it.each(examples)('$title', async ({ filter, selects }) => {
      const predicate = compiled(filter);
      expect(await select(database.dataSource, predicate)).toEqual(selects);
      const others = Object.keys(DOCUMENTS).filter((document) => !selects.includes(document));
      expect(await select(database.dataSource, sql`not (${predicate})`)).toEqual(others);
    });
  });
}

function compiled(filter: unknown): Sql {
  const tree = parseFilter(filter, ['filters']);
  if (tree === null) throw new Error('an example without a filter');
  return compileFilter(tree);
}
