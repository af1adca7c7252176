import { randomUUID } from 'node:crypto';
import { type ChunkContext, NO_CONTEXT } from '#reader';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { StoredDocuments } from '../../../test/support/stored-documents.js';
import { type Scope, scopeOf, shardOf } from '../../auth/scope.js';
import { fingerprintOf } from '../../answering/citations/source.js';
import { storedContext } from '../../chunks/vectors/vector-column.js';
import { DocumentTextsRepository } from './document-texts.repository.js';

const SHARDS = 3;

describe('the texts of documents', () => {
  let database: TestDatabase;
  let texts: DocumentTextsRepository;
  let ann: Scope;

  beforeAll(async () => {
    database = await openTestDatabase();
    await new StoredDocuments(database.dataSource, 4).tenant('acme', SHARDS);
    texts = new DocumentTextsRepository(database.dataSource);
    ann = scopeOf('acme', ['read'], 'k', { shards: SHARDS, endUserId: 'ann' });
  });
  afterAll(() => database.close());

  async function store(history: readonly object[], endUserId: string | null = null): Promise<string> {
    const id = randomUUID();
    await database.dataSource.query(
      `insert into documents (app_id, external_id, status, content_type, update_history, end_user_id)
       values ($1, $2, 'completed', 'text/plain', $3::jsonb, $4)`,
      [shardOf(ann, id).appId, id, JSON.stringify(history), endUserId],
    );
    return id;
  }

  it('tell when they were replaced last, whatever else changed', async () => {
    const entry = (strategy: string, day: string): object => ({
      strategy,
      timestamp: `2026-05-${day}T00:00:00.000Z`,
    });
    const never = await store([entry('add', '01'), entry('rename', '02'), entry('metadata', '03')]);
    const twice = await store([entry('replace', '01'), entry('replace', '04'), entry('add', '05')]);
    const found = await texts.list(ann, [never, twice, 'not-an-id'], []);
    expect(new Map(found.map((text) => [text.documentId, text.replacedAt]))).toEqual(
      new Map([
        [never, null],
        [twice, new Date('2026-05-04T00:00:00.000Z')],
      ]),
    );
  });

  describe('with a passage of an answer', () => {
    const OLD = 'The boat 🚢 leaves at noon.';
    const CONTEXT: ChunkContext = {
      ...NO_CONTEXT,
      title: 'The pier',
      headings: [{ level: 2, text: 'Boats' }],
    };
    const of = (content: string, context: ChunkContext = CONTEXT): string =>
      fingerprintOf({ content, context, imageKey: null, metadata: { start_offset: 0 } });
    /** What is found of the passage in a document with these chunks. */
    const foundIn = async (fingerprint: string, ...chunks: readonly string[]): Promise<readonly string[]> => {
      const id = await store([]);
      const other = await store([]);
      for (const [number, content] of chunks.entries()) {
        await database.dataSource.query(
          `insert into chunks (app_id, document_id, chunk_number, revision, content, content_hash, content_type,
             start_offset, end_offset, context, terms, impacts, embedding)
           values ($1, $2, $3, 0, $4, sha256(convert_to($4, 'UTF8')), 'text/plain', $5, $6, $7, '{}', '{}/536870912',
             '[0,0,0,1]')`,
          [
            shardOf(ann, id).appId,
            id,
            number,
            content,
            number * 100,
            number * 100 + content.length,
            storedContext(CONTEXT),
          ],
        );
      }
      const passages = [id, other].map((documentId) => ({ documentId, fingerprint }));
      const found = await texts.list(ann, [id, other], passages);
      return found.flatMap(({ fingerprints }) => fingerprints);
    };

    it.each([
      ['as it was', [OLD]],
      ['with text added behind it', [`${OLD}\n\nNot on Sundays.`]],
      ['elsewhere in the text', ['It is a fine pier.', OLD]],
    ])('have it %s', async (_, chunks) => {
      expect(await foundIn(of(OLD), ...chunks)).toEqual([of(OLD)]);
    });

    it.each([
      ['has other words', ['The boat 🚢 leaves at four.']],
      ['is cut', ['The boat 🚢 leaves at']],
      ['has words before it', [`Not any more: ${OLD}`]],
      ['is gone', []],
    ])('do not have it if it %s', async (_, chunks) => {
      expect(await foundIn(of(OLD), ...chunks)).toEqual([]);
    });

    it.each([
      ['another title', { ...CONTEXT, title: 'Who is dismissed' }],
      ['another heading', { ...CONTEXT, headings: [{ level: 2, text: 'Ships' }] }],
      ['no context', NO_CONTEXT],
    ])('do not have it if it had %s', async (_, context) => {
      expect(await foundIn(of(OLD, context), OLD)).toEqual([]);
    });

    it('have a page image until its pages are replaced', async () => {
      const id = await store([]);
      const { dataSource } = database;
      await dataSource.query(
        `insert into pages (app_id, document_id, page_number, revision, object_key, width, height, content)
         values ($1, $2, 1, 7, 'pages/4711.png', 8, 8, '')`,
        [shardOf(ann, id).appId, id],
      );
      const found: (readonly string[])[] = [];
      for (const revisions of ['{7}', '{8}']) {
        await dataSource.query(`update documents set page_revisions = $2 where external_id = $1`, [
          id,
          revisions,
        ]);
        const [text] = await texts.list(ann, [id], [{ documentId: id, fingerprint: 'pages/4711.png' }]);
        found.push(text?.fingerprints ?? []);
      }
      expect(found).toEqual([['pages/4711.png'], []]);
    });
  });

  it('are those that the reader may read', async () => {
    const [own, other] = [await store([], 'ann'), await store([], 'bob')];
    expect((await texts.list(ann, [own, other], [])).map(({ documentId }) => documentId)).toEqual([own]);
  });
});
