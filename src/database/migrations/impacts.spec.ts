import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { StoredDocuments } from '../../../test/support/stored-documents.js';
import { analyseDocument } from '../../lexical/analyse.js';
import { Conversations1700000029000 } from './1700000029000-conversations.js';
import { Impacts1700000021000 } from './1700000021000-impacts.js';
import { Initial1700000018000 } from './1700000018000-initial.js';
import { PagesWithoutVectors1700000020000 } from './1700000020000-pages-without-vectors.js';
import { Responses1700000026000 } from './1700000026000-responses.js';
import { VectorStores1700000025000 } from './1700000025000-vector-stores.js';

const DOCUMENT = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';
const TEXTS = [
  'The lamp of the Old Mill burns lamp oil, E-1042',
  '图书馆在晚上八点关门',
  '',
  `${'grain '.repeat(80)} dues`,
];

describe('migration of stored postings', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterAll(() => database.close());

  const columns = (appId: string): Promise<unknown[]> =>
    database.dataSource.query(
      `select c.content, c.impacts::text as impacts,
         (select array_agg(((t & 4294967295)) order by t & 4294967295) from unnest(c.terms) t)::text as terms
       from chunks c where app_id = $1 order by chunk_number`,
      [appId],
    );

  it('leaves chunks and statistics as if written by this version', async () => {
    const { dataSource } = database;
    const runner = dataSource.createQueryRunner();
    try {
      await new Conversations1700000029000().down(runner);
      await new Responses1700000026000().down(runner);
      await new VectorStores1700000025000().down(runner);
      await runner.query('create table postings ()');
      await new Initial1700000018000().down(runner);
      await new Initial1700000018000().up(runner);
      await new PagesWithoutVectors1700000020000().up(runner);
      await runner.query(`insert into apps (app_id, name) values ('old', 'old')`);
      await runner.query(
        `insert into documents (app_id, external_id, status, content_type, chunk_count) values ('old', $1, 'completed', 'text/plain', $2)`,
        [DOCUMENT, TEXTS.length],
      );
      for (const [number, content] of TEXTS.entries()) {
        const { terms, length } = analyseDocument(content);
        const stored = [...terms.keys(), ...(number === 0 ? ['old+mill'] : [])]; // two words of a name joined, as older versions stored them
        const [{ id } = { id: '' }] = (await runner.query(
          `insert into chunks (app_id, document_id, chunk_number, revision, content, content_hash, content_type, start_offset,
             end_offset, terms, length, embedding)
           values ('old', $1, $2, 0, $3, '', 'text/plain', 0, 1, $4, $5, '[1,0,0]') returning chunk_id as id`,
          [DOCUMENT, number, content, stored, length],
        )) as { id: string }[];
        for (const term of stored) {
          await runner.query(`insert into postings values ('old', $1, $2, $3, $4)`, [
            term,
            id,
            terms.get(term) ?? 1,
            length,
          ]);
        }
      }
      await runner.query(`insert into corpus_stats values ('old', $1, 0)`, [TEXTS.length]);
      await runner.query(
        `create index chunks_embedding_3 on chunks using hnsw ((embedding::halfvec(3)) halfvec_cosine_ops)`,
      );
      await new Impacts1700000021000().up(runner);
    } finally {
      await runner.release();
    }
    const documents = new StoredDocuments(dataSource, 3);
    const now = await documents.tenant('now');
    await documents.add(now, TEXTS);
    expect(await columns('old')).toEqual(await columns('now'));
    const counts = (appId: string): Promise<unknown> =>
      dataSource.query(
        `select key & 4294967295 as term, chunk_count from term_stats where app_id = $1 order by 1`,
        [appId],
      );
    expect(await counts('old')).toEqual(await counts('now'));
    expect(
      await dataSource.query(
        `select to_regclass('postings') as postings, to_regclass('chunks_embedding_3') as vectors`,
      ),
    ).toEqual([{ postings: null, vectors: null }]);
  });
});
