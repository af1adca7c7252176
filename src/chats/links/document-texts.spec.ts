import { randomUUID } from 'node:crypto';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { StoredDocuments } from '../../../test/support/stored-documents.js';
import { type Scope, scopeOf, shardOf } from '../../auth/scope.js';
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

  it('are those that the reader may read', async () => {
    const [own, other] = [await store([], 'ann'), await store([], 'bob')];
    expect((await texts.list(ann, [own, other], [])).map(({ documentId }) => documentId)).toEqual([own]);
  });
});
