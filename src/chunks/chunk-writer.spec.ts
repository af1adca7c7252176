import { createHash } from 'node:crypto';
import { NO_CONTEXT } from '#reader';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { Random } from '../../test/support/random.js';
import { liveOf, StoredDocuments } from '../../test/support/stored-documents.js';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository } from './chunk.repository.js';
import { ChunkWriter, type StagedChunk } from './chunk-writer.js';
import type { Embedder } from '../models/embedding/embedder.js';
import { Unavailable } from '../errors/index.js';
import { EmbeddingSpace } from './vectors/vector-space.js';
import { compileSelection } from '../filters/document-predicate.js';
import { termNumber } from '../lexical/inverted-index.js';
import { questionWords } from './bm25.js';
import { hybridWeights } from './hybrid-score.js';

const REVISION = '41';

const EMBEDDER = { model: 'test/model', dimensions: 16 } as Embedder;

describe('ChunkWriter', () => {
  let database: TestDatabase;
  let documents: StoredDocuments;
  let writer: ChunkWriter;
  let chunks: ChunkRepository;
  let tenants = 0;
  let scope: Scope;

  beforeAll(async () => {
    database = await openTestDatabase();
    documents = new StoredDocuments(database.dataSource, 16);
    writer = new ChunkWriter(database.dataSource, new EmbeddingSpace(database.dataSource, EMBEDDER));
    chunks = new ChunkRepository(database.dataSource);
  }, 120_000);
  afterAll(() => database.close());
  beforeEach(async () => {
    scope = await documents.tenant(`tenant-${(tenants += 1)}`);
  });

  const rows = (text: string): Promise<unknown[]> =>
    database.dataSource.query<unknown[]>(text, [scope.appId]);

  async function stagedOf(id: string): Promise<StagedChunk[]> {
    const staged: StagedChunk[] = [];
    for await (const page of writer.staged(scope, id, REVISION)) staged.push(...page);
    return staged;
  }

  /** Compares the stored statistics with counts of the visible chunks. */
  async function expectExactStatistics(): Promise<void> {
    expect(
      await rows('select key, chunk_count, shared_count from term_stats where app_id = $1 order by key'),
    ).toEqual(
      await rows(`select t.key, count(*)::integer as chunk_count,
                    (count(*) filter (where d.end_user_id is null))::integer as shared_count
                  from documents d
                  join chunks c on c.app_id = d.app_id and c.document_id = d.external_id and c.revision = any(d.live_revisions)
                  cross join unnest(c.terms) as t(key)
                  where d.app_id = $1 group by t.key order by t.key`),
    );
    expect(await rows('select chunk_count, shared_count from corpus_stats where app_id = $1')).toEqual(
      await rows(`select count(c.*) as chunk_count, count(c.*) filter (where d.end_user_id is null) as shared_count
                  from apps a
                  left join documents d on d.app_id = a.app_id
                  left join chunks c on c.app_id = d.app_id and c.document_id = d.external_id and c.revision = any(d.live_revisions)
                  where a.app_id = $1`),
    );
  }

  /** Contents of all chunks that a full scan for a word returns. */
  const found = async (word: string): Promise<string[]> => {
    const words = questionWords(
      scope.appId,
      [{ number: termNumber(word), postings: [1], frequencies: [1], isIdentifier: false }],
      1,
      400,
    );
    const query = { vector: documents.vector(word), cosineFloor: -1, words, weights: hybridWeights(0) };
    const input = { query, selection: compileSelection(scope, {}), limit: 100, lookups: 'serial' as const };
    const result = await chunks.fullScan(scope, input);
    return result.chunks.map(({ content }) => content).sort();
  };

  /** Changes the end user of a document; null shares it. */
  const handOver = (id: string, endUserId: string | null): Promise<void> =>
    database.dataSource.transaction(async (manager) => {
      await manager.query('update documents set end_user_id = $3 where app_id = $1 and external_id = $2', [
        scope.appId,
        id,
        endUserId,
      ]);
      await writer.moveStatistics(manager, scope.appId, [id]);
    });

  it('keeps statistics exact through random replacements, additions, deletes and changes of the end user', async () => {
    const random = new Random(11);
    const ids: string[] = [];
    for (let step = 0; step < 60; step++) {
      const contents = Array.from({ length: random.below(4) }, () => random.words(1 + random.below(12), 30));
      const id = ids[random.below(ids.length + 3)];
      const owner = random.below(2) === 0 ? {} : { endUserId: `user-${random.below(3)}` };
      if (id === undefined) ids.push(await documents.add(scope, contents, owner));
      else if (random.below(3) === 0) await handOver(id, owner.endUserId ?? null);
      else if (random.below(4) === 0) await documents.remove(scope, ids.splice(ids.indexOf(id), 1)[0] ?? '');
      else await documents.replace(scope, id, contents, 0);
    }
    await expectExactStatistics();
    for (const id of ids) await documents.remove(scope, id);
    expect(await rows('select key from term_stats where app_id = $1')).toEqual([]);
    await expectExactStatistics();
  });

  it('replaces the tail of a document without rewriting the chunks before it', async () => {
    const id = await documents.add(scope, ['alpha', 'beta', 'gamma']);
    const before = await rows('select ctid from chunks where app_id = $1 order by chunk_number limit 2');
    await documents.replace(scope, id, ['delta', 'epsilon'], 2);
    expect(
      await rows('select chunk_number, content from chunks where app_id = $1 order by chunk_number'),
    ).toEqual([
      { chunk_number: 0, content: 'alpha' },
      { chunk_number: 1, content: 'beta' },
      { chunk_number: 2, content: 'delta' },
      { chunk_number: 3, content: 'epsilon' },
    ]);
    expect(await rows('select ctid from chunks where app_id = $1 order by chunk_number limit 2')).toEqual(
      before,
    );
    await expectExactStatistics();
  });

  it('writes chunks in several statements', async () => {
    await documents.add(
      scope,
      Array.from({ length: 230 }, (_, number) => `chunk number${number}`),
    );
    expect(await rows('select count(*)::integer as count from chunks where app_id = $1')).toEqual([
      { count: 230 },
    ]);
    await expectExactStatistics();
  });

  it('hides staged chunks from readers and statistics until the swap', async () => {
    const id = await documents.add(scope, ['old text here', 'old tail']);
    const document = liveOf(scope, id);
    await writer.stage(database.dataSource, document, REVISION, documents.chunks(['new text']));
    await writer.stage(database.dataSource, document, REVISION, documents.chunks(['new tail', 'new end'], 1));
    expect(await found('new')).toEqual(['old tail', 'old text here']);
    await expectExactStatistics();
    expect(await stagedOf(id)).toMatchObject([
      { chunk_number: 0, start_offset: 0, end_offset: 8 },
      { chunk_number: 1 },
      { chunk_number: 2 },
    ]);

    await database.dataSource.transaction(async (manager) => {
      await manager.query(
        'update documents set live_revisions = $3::bigint[], chunk_count = 3 where app_id = $1 and external_id = $2',
        [scope.appId, id, [REVISION]],
      );
      await writer.swapIn(manager, document, 0, REVISION);
    });
    expect(await found('new')).toEqual(['new end', 'new tail', 'new text']);
    await expectExactStatistics();
  });

  it('lists more staged chunks than one batch in order', async () => {
    const id = await documents.add(scope, ['kept']);
    const count = 1_010;
    const staged = documents.chunks(Array.from({ length: count }, (_, number) => `staged ${number}`));
    for (let from = 0; from < count; from += 100) {
      await writer.stage(database.dataSource, liveOf(scope, id), REVISION, staged.slice(from, from + 100));
    }
    const hash = createHash('sha256').update('staged 777').digest('hex');
    const listed = await stagedOf(id);
    expect(listed.map((chunk) => chunk.chunk_number)).toEqual(Array.from({ length: count }, (_, n) => n));
    expect(listed[777]).toEqual({
      chunk_number: 777,
      start_offset: 0,
      end_offset: 10,
      content_hash: hash,
      context: NO_CONTEXT,
    });
  });

  it('swaps in staged chunks after the remaining ones', async () => {
    const id = await documents.add(scope, ['first', 'second']);
    const document = liveOf(scope, id);
    await writer.stage(database.dataSource, document, REVISION, documents.chunks(['third', 'fourth'], 2));
    await database.dataSource.transaction(async (manager) => {
      await manager.query(
        'update documents set live_revisions = $3::bigint[], chunk_count = 4 where app_id = $1 and external_id = $2',
        [scope.appId, id, ['0', REVISION]],
      );
      await writer.swapIn(manager, document, 2, REVISION);
    });
    expect(await found('third')).toEqual(['first', 'fourth', 'second', 'third']);
    expect(await chunks.ends(scope, id)).toMatchObject({
      first: { content: 'first', content_type: 'text/plain' },
      last: { chunk_number: 3, content: 'fourth' },
    });
    await expectExactStatistics();
  });

  it('drops staged chunks', async () => {
    const id = await documents.add(scope, ['kept']);
    const document = liveOf(scope, id);
    await writer.stage(database.dataSource, document, REVISION, documents.chunks(['one', 'two', 'three']));
    await writer.dropStaged(database.dataSource, document, REVISION, 1);
    expect(await stagedOf(id)).toHaveLength(1);
    await writer.dropStaged(database.dataSource, document, REVISION);
    expect(await rows('select content from chunks where app_id = $1')).toEqual([{ content: 'kept' }]);
  });

  it('deletes staged chunks with the document', async () => {
    const id = await documents.add(scope, ['seen']);
    await writer.stage(database.dataSource, liveOf(scope, id), REVISION, documents.chunks(['staged']));
    await documents.remove(scope, id);
    expect(await rows('select content from chunks where app_id = $1')).toEqual([]);
    expect(await rows('select key from term_stats where app_id = $1')).toEqual([]);
    await expectExactStatistics();
  });

  it('refuses chunks if the stored vectors belong to another model', async () => {
    const id = await documents.add(scope, ['alpha']);
    const { dataSource } = database;
    await dataSource.query(
      `insert into service_state (name, value) values ('embedding_space', '{"model": "test/other", "dimensions": 16}')`,
    );
    const chunks = documents.chunks(['beta'], 1);
    const replacement = { document: liveOf(scope, id), from: null, chunks };
    const replaced = dataSource.transaction((m) => writer.replace(m, scope.appId, [replacement]));
    await expect(replaced).rejects.toThrow(Unavailable);
    const document = { appId: scope.appId, documentId: id };
    const staged = dataSource.transaction((m) => writer.stage(m, document, REVISION, chunks));
    await expect(staged).rejects.toThrow(/restart it with EMBEDDING_MODEL for test\/other/);
    expect(await rows('select content from chunks where app_id = $1')).toEqual([{ content: 'alpha' }]);
    await dataSource.query(`delete from service_state where name = 'embedding_space'`);
  });

  it('changes nothing if the transaction fails', async () => {
    const id = await documents.add(scope, ['before']);
    await expect(
      database.dataSource.transaction(async (manager) => {
        const change = { document: liveOf(scope, id), from: 0, chunks: documents.chunks(['after']) };
        await writer.replace(manager, scope.appId, [change]);
        throw new Error('the transaction failed');
      }),
    ).rejects.toThrow('the transaction failed');
    expect(await found('before')).toEqual(['before']);
    await expectExactStatistics();
  });

  it('returns the vectors and contexts of a document by content hash', async () => {
    const id = await documents.add(scope, ['one', 'two', 'three']);
    const other = await documents.add(scope, ['four']);
    const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
    const known = await chunks.vectors(scope, id, ['two', 'three', 'four'].map(hash), 0);
    expect(known.map((one) => one.hash).sort()).toEqual(['two', 'three'].map(hash).sort());
    expect(known.map(({ context }) => context)).toEqual([NO_CONTEXT, NO_CONTEXT]);
    const vector = known.find((one) => one.hash === hash('two'))?.embedding ?? new Float32Array();
    documents.vector('two').forEach((x, index) => {
      expect(vector[index]).toBeCloseTo(x, 3);
    });
    expect((await chunks.vectors(scope, id, ['two', 'three'].map(hash), 2)).length).toBe(1);
    expect((await chunks.vectors({ ...scope, appId: 'other' }, id, [hash('two')], 0)).length).toBe(0);
    expect((await chunks.vectors(scope, other, [hash('two')], 0)).length).toBe(0);
  });
});
