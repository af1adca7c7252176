import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { PagesWithoutVectors1700000020000 } from './1700000020000-pages-without-vectors.js';

const DOCUMENT = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';

describe('migration of stored page vectors', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterEach(() => database.close());

  /** Returns the remaining vectors of a page that the given model had embedded. */
  async function upgraded(model: string): Promise<unknown> {
    const { dataSource } = database;
    const runner = dataSource.createQueryRunner();
    const migration = new PagesWithoutVectors1700000020000();
    try {
      await migration.down(runner);
      await runner.query(`insert into apps (app_id, name) values ('a', 'a')`);
      await runner.query(
        `insert into documents (app_id, external_id, status, content_type) values ('a', $1, 'completed', 'application/pdf')`,
        [DOCUMENT],
      );
      await runner.query(
        `insert into pages (app_id, document_id, page_number, revision, object_key, width, height, content, context, vectors,
           vector_count, pooled)
         values ('a', $1, 1, 1, 'k', 1, 1, 'words', 'title', '\\x00', 1, '[1]')`,
        [DOCUMENT],
      );
      await runner.query(
        `insert into service_state (name, value) values ('page_space', jsonb_build_object('model', $1::text, 'dimensions', 1))`,
        [model],
      );
      await migration.up(runner);
      return await runner.query(
        `select content, vectors, vector_count, pooled, (select count(*)::integer from service_state where name = 'page_space') as spaces
         from pages`,
      );
    } finally {
      await runner.release();
    }
  }

  it('keeps the page and removes the vectors of the bundled text model', async () => {
    expect(await upgraded('local/all-MiniLM-L6-v2/tokens')).toEqual([
      { content: 'words', vectors: null, vector_count: null, pooled: null, spaces: 0 },
    ]);
  });

  it('keeps the vectors of a model that reads page images', async () => {
    expect(await upgraded('vllm/vidore/colpali-v1.3-hf')).toEqual([
      { content: 'words', vectors: Buffer.of(0), vector_count: 1, pooled: '[1]', spaces: 1 },
    ]);
  });
});
