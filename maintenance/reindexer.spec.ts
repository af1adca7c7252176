import { randomUUID } from 'node:crypto';
import { NO_CONTEXT } from '#reader';
import { openTestDatabase, type TestDatabase } from '../test/support/database.js';
import { Embedder } from '../src/models/embedding/embedder.js';
import type { Unreadable } from '../src/models/embedding/readability.js';
import { ChunkReindexer, type Contexts } from './reindexer.js';
import { readContext, storedContext, VectorIndex } from '../src/chunks/vectors/vector-column.js';
import { EmbeddingSpace } from '../src/chunks/vectors/vector-space.js';

/** Contexts that list their inputs. */
const NAMES: Contexts = {
  name: 'names',
  contextOf: ({ context, filename, own_title: own, has_pages: paged, head, head_type: type }) =>
    context.title === null ? { ...NO_CONTEXT, title: [filename, own, paged, head, type].join() } : context,
};

/** Counts embedded texts; fails after `failAfter` texts. */
class CountingEmbedder extends Embedder {
  readonly cosineFloor = -1;
  embedded = 0;
  readonly texts: string[] = [];

  constructor(
    readonly model: string,
    readonly dimensions: number,
    private readonly failAfter = Infinity,
  ) {
    super();
  }

  embedDocuments(texts: readonly string[]): Promise<Float32Array[]> {
    if (this.embedded + texts.length > this.failAfter) return Promise.reject(new Error('the model failed'));
    this.embedded += texts.length;
    this.texts.push(...texts);
    return Promise.resolve(texts.map(() => this.vector()));
  }

  unreadable(): Promise<Unreadable> {
    return Promise.resolve({ share: 0, identifiers: [] });
  }

  embedQuery(): Promise<Float32Array> {
    return Promise.resolve(this.vector());
  }

  private vector(): Float32Array {
    return new Float32Array(this.dimensions).fill(1 / Math.sqrt(this.dimensions));
  }
}

const CHUNKS = 150;

describe('ChunkReindexer', () => {
  let database: TestDatabase;
  const old = new CountingEmbedder('test/old', 3);

  beforeEach(async () => {
    database = await openTestDatabase();
    await new EmbeddingSpace(database.dataSource, old).onModuleInit();
    await database.dataSource.query(`insert into apps (app_id, name) values ('acme', 'acme')`);
    const id = randomUUID();
    await database.dataSource.query(
      `insert into documents (app_id, external_id, status, content_type, embedding_model, chunk_count)
       values ('acme', $1, 'completed', 'text/plain', 'test/old', $2)`,
      [id, CHUNKS],
    );
    await database.dataSource.query(
      `insert into chunks (app_id, document_id, revision, chunk_number, content, content_hash, content_type, start_offset,
         end_offset, terms, impacts, embedding)
       select 'acme', $1, 0, n, 'chunk ' || n, '', 'text/plain', 0, 1, '{}', '{}/536870912', '[1,0,0]'
       from generate_series(0, $2 - 1) as n`,
      [id, CHUNKS],
    );
    await database.dataSource.query(`insert into corpus_stats values ('acme', $1)`, [CHUNKS]);
  }, 60_000);
  afterEach(() => database.close());

  const reindexer = (embedder: Embedder, contexts = NAMES): ChunkReindexer =>
    new ChunkReindexer(database.dataSource, embedder, contexts);

  /** An interrupted build leaves an invalid index. */
  const indexIsValid = async ({ dimensions }: Embedder): Promise<boolean> => {
    const [row] = await database.dataSource.query<{ valid: boolean }[]>(
      'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
      [VectorIndex.of(database.dataSource, dimensions).name],
    );
    return row?.valid ?? false;
  };

  it('lets the service start with another model', async () => {
    const next = new CountingEmbedder('test/next', 5);
    await expect(new EmbeddingSpace(database.dataSource, next).onModuleInit()).rejects.toThrow(
      'run "lectern reindex"',
    );
    await reindexer(next).reindex(() => undefined);
    await new EmbeddingSpace(database.dataSource, next).onModuleInit();
    const [row] = await database.dataSource.query<unknown[]>(
      `select count(*)::int as chunks, min(vector_dims(embedding)) as least, max(vector_dims(embedding)) as most from chunks`,
    );
    expect(row).toEqual({ chunks: CHUNKS, least: 5, most: 5 });
    expect(await indexIsValid(next)).toBe(true);
    const documents = await database.dataSource.query<unknown[]>('select embedding_model from documents');
    expect(documents).toEqual([{ embedding_model: 'test/next' }]);
  });

  it('creates the same index as the first start', async () => {
    const definition = async (): Promise<unknown> => {
      const [row] = await database.dataSource.query<{ definition: string }[]>(
        `select indexdef as definition from pg_indexes where indexname = $1`,
        [VectorIndex.of(database.dataSource, 3).name],
      );
      return row?.definition;
    };
    const first = await definition();
    expect(first).toContain('ef_construction');
    await reindexer(new CountingEmbedder('test/next', 3)).reindex(() => undefined);
    expect(await definition()).toBe(first);
  });

  it('keeps the current vectors when the model fails, and resumes', async () => {
    const breaking = new CountingEmbedder('test/next', 5, 100);
    await expect(reindexer(breaking).reindex(() => undefined)).rejects.toThrow('the model failed');
    await new EmbeddingSpace(database.dataSource, old).onModuleInit();
    const next = new CountingEmbedder('test/next', 5);
    await reindexer(next).reindex(() => undefined);
    expect(breaking.embedded + next.embedded).toBe(CHUNKS);
  });

  it('adds a context to chunks without one, and embeds it', async () => {
    await database.dataSource.query(
      `update documents set filename = 'a.md', additional_metadata = '{"title": "A"}'`,
    );
    await database.dataSource.query(`update chunks set context = $1 where chunk_number = 1`, [
      storedContext({ ...NO_CONTEXT, title: 'Known' }),
    ]);
    const next = new CountingEmbedder('test/next', 5);
    await reindexer(next).reindex(() => undefined);
    const rows = await database.dataSource.query<{ context: string }[]>(
      'select context from chunks order by chunk_number limit 3',
    );
    const made = 'a.md,A,false,chunk 0,text/plain';
    expect(rows.map(({ context }) => readContext(context).title)).toEqual([made, 'Known', made]);
    expect(next.texts.slice(0, 3)).toEqual([`${made}\n\nchunk 0`, 'Known\n\nchunk 1', `${made}\n\nchunk 2`]);
    const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('restarts if the last run used other contexts', async () => {
    const breaking = new CountingEmbedder('test/next', 5, 100);
    await expect(reindexer(breaking).reindex(() => undefined)).rejects.toThrow('the model failed');
    const next = new CountingEmbedder('test/next', 5);
    await reindexer(next, { ...NAMES, name: 'none', contextOf: () => NO_CONTEXT }).reindex(() => undefined);
    expect(next.embedded).toBe(CHUNKS);
    const rows = await database.dataSource.query<unknown[]>('select distinct context from chunks');
    expect(rows).toEqual([{ context: '' }]);
  });

  it('restarts if the last run used another model', async () => {
    const other = new CountingEmbedder('test/other', 7, 100);
    await expect(reindexer(other).reindex(() => undefined)).rejects.toThrow('the model failed');
    const next = new CountingEmbedder('test/next', 5);
    await reindexer(next).reindex(() => undefined);
    expect(next.embedded).toBe(CHUNKS);
  });

  it('keeps the definition of an empty table', async () => {
    const columns = (): Promise<unknown[]> =>
      database.dataSource.query(
        `select column_name, is_nullable, column_default from information_schema.columns
         where table_name = 'chunks' order by column_name`,
      );
    const made = await columns();
    await database.dataSource.query('delete from chunks');
    const next = new CountingEmbedder('test/next', 5);
    await reindexer(next).reindex(() => undefined);
    expect(await columns()).toEqual(made);
    await new EmbeddingSpace(database.dataSource, next).onModuleInit();
    expect(await indexIsValid(next)).toBe(true);
  });
});
