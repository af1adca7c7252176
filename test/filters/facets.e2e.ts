import type { Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

interface Field {
  readonly name: string;
  readonly count: number;
  readonly types: readonly { readonly type: string; readonly count: number }[];
}
interface Value {
  readonly value: unknown;
  readonly count: number;
}
interface Answer {
  readonly fields: readonly Field[];
  readonly values: readonly Value[];
  readonly documents: number;
  readonly is_complete: boolean;
  readonly next_cursor: string | null;
}

const RECORDS: readonly object[] = [
  { department: 'Sales', year: 2024, tags: ['red', 'blue', 'red'], open: true, price: 5.0 },
  { department: 'sales', year: 2025, tags: ['blue'], open: false, price: 5, author: { name: 'Ann' } },
  { department: 'Research', 'author.name': 'Bea', author: { name: 'hidden', mail: { home: 'x' } } },
  { authors: [{ name: 'Ann' }, { name: 'Ann', age: 3 }, 'Cid'], versions: [{ tag: 'v1' }, { tag: 2 }] },
  { nested: [[{ deep: 1 }], [1, 2]], nothing: null, tags: [], mixed: 'text' },
  { mixed: 7, when: '2025-03-01T12:00:00Z', long: 'x'.repeat(300), Ünïcode: 'Äpfel', 'a "b"': "it's" },
  { mixed: ['text', 7, null, { text: 'in' }], "it's": { 'with.dot': 1, $dollar: 2 }, $top: 1 },
  { 'dotted.key': { below: 1 }, dotted: { key: 'hidden', other: 'seen' }, constructor: 'plain' },
];

describe.each([
  ['a tenant', {}],
  ['a tenant in three parts', { parts: 3 }],
])('fields and values of the metadata of %s', (_kind, more) => {
  let service: SharedService;
  let client: Client;
  const get = async (path: string, query: Readonly<Record<string, string>> = {}): Promise<Answer> => {
    const answer = await client.get(`${path}?${new URLSearchParams(query).toString()}`);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return answer.json() as Answer;
  };
  const fields = (query: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    get('/metadata/fields', query);
  const values = (name: string, query: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    get(`/metadata/fields/${encodeURIComponent(name)}/values`, query);
  const matches = async (filter: object): Promise<number> => {
    const body = { document_filters: filter, return_documents: false, include_total_count: true };
    return ((await client.post('/documents', body)).json() as { total_count: number }).total_count;
  };

  beforeAll(async () => {
    service = await SharedService.enter();
    client = service.as(await service.newTenant(more));
    const documents = new Documents(() => client);
    await Promise.all(
      RECORDS.map((metadata, at) =>
        documents.ingestText(`Document ${at}`, {
          metadata,
          filename: `file-${at}.txt`,
          folder_name: at % 2 === 0 ? '/even' : '/odd/deep',
          ...('price' in metadata ? { metadata_types: { price: 'number' } } : {}),
        }),
      ),
    );
  });
  afterAll(() => service.stop());

  it('count what the filters `$exists` and `$type` of each name match', async () => {
    const answer = await fields();
    expect(answer).toMatchObject({ documents: RECORDS.length, is_complete: true, next_cursor: null });
    for (const { name, count, types } of answer.fields) {
      expect([name, count]).toEqual([name, await matches({ [name]: { $exists: true } })]);
      expect(types.length).toBeGreaterThan(0);
      for (const { type, count: ofType } of types)
        expect([name, type, ofType]).toEqual([name, type, await matches({ [name]: { $type: type } })]);
    }
  });

  it('have the names that a filter can name, and no others', async () => {
    expect((await fields()).fields.map(({ name }) => name)).toEqual([
      'a "b"',
      'author',
      'author.mail',
      'author.mail.home',
      'author.name',
      'authors',
      'authors.age',
      'authors.name',
      'constructor',
      'department',
      'dotted',
      'dotted.key',
      'dotted.other',
      "it's",
      "it's.$dollar",
      'long',
      'mixed',
      'mixed.text',
      'nested',
      'nothing',
      'open',
      'price',
      'tags',
      'versions',
      'versions.tag',
      'when',
      'year',
      'Ünïcode',
    ]);
  });

  it('count what equality with each value matches', async () => {
    for (const { name } of (await fields()).fields) {
      for (const { value, count } of (await values(name)).values)
        expect([name, value, count]).toEqual([name, value, await matches({ [name]: value })]);
    }
  });

  it('are elements of arrays, the most frequent first, without null, objects and long texts', async () => {
    expect((await values('tags')).values).toEqual([
      { value: 'blue', count: 2 },
      { value: 'red', count: 1 },
    ]);
    expect((await values('price')).values).toEqual([{ value: 5, count: 2 }]);
    expect((await values('mixed')).values).toEqual([
      { value: 'text', count: 2 },
      { value: 7, count: 2 },
    ]);
    expect((await values('authors.name')).values).toEqual([{ value: 'Ann', count: 1 }]);
    expect((await values('versions.0.tag')).values).toEqual([{ value: 'v1', count: 1 }]);
    for (const name of ['long', 'nothing', 'nested', 'unknown'])
      expect((await values(name)).values).toEqual([]);
  });

  it('have file names and ids too', async () => {
    const names = (await values('filename')).values.map(({ value }) => value);
    expect(names).toEqual(RECORDS.map((_, at) => `file-${at}.txt`));
    expect((await values('external_id')).values).toHaveLength(RECORDS.length);
  });

  it('stay within a filter, folders and a prefix', async () => {
    const filters = JSON.stringify({ year: { $gte: 2025 } });
    expect((await values('department', { filters })).values).toEqual([{ value: 'sales', count: 1 }]);
    expect((await values('filename', { folder_name: '/odd', folder_depth: '-1' })).documents).toBe(4);
    expect((await values('filename', { folder_name: '/odd' })).documents).toBe(0);
    const sales = (await values('department', { prefix: 'SAL' })).values.map(({ value }) => value);
    expect(sales.sort()).toEqual(['Sales', 'sales']);
    expect((await values('Ünïcode', { prefix: 'ÄP' })).values).toEqual([{ value: 'Äpfel', count: 1 }]);
    expect((await fields({ prefix: 'AUTHOR.' })).fields.map(({ name }) => name)).toEqual([
      'author.mail',
      'author.mail.home',
      'author.name',
    ]);
    expect((await fields({ prefix: '%' })).fields).toEqual([]);
  });

  it('come in pages', async () => {
    const whole = (await values('filename')).values;
    const names = (await fields()).fields;
    const inPages = async <T>(page: (cursor: object) => Promise<[readonly T[], string | null]>) => {
      const all: T[] = [];
      let cursor: string | null = null;
      do {
        const [some, next]: [readonly T[], string | null] = await page(cursor === null ? {} : { cursor });
        expect(some.length).toBeGreaterThan(0);
        all.push(...some);
        cursor = next;
      } while (cursor !== null);
      return all;
    };
    const byTwo = await inPages(async (cursor) => {
      const answer = await values('filename', { limit: '2', ...cursor });
      return [answer.values, answer.next_cursor];
    });
    expect(byTwo).toEqual(whole);
    const byFive = await inPages(async (cursor) => {
      const answer = await fields({ limit: '5', ...cursor });
      return [answer.fields, answer.next_cursor];
    });
    expect(byFive).toEqual(names);
  });

  it.each([
    ['/metadata/fields?filters={', ['query', 'filters']],
    ['/metadata/fields?filters=[]', ['query', 'filters']],
    ['/metadata/fields?filters={"a":{"$near":1}}', ['query', 'filters', 'a', '$near']],
    ['/metadata/fields?limit=0', ['query', 'limit']],
    ['/metadata/fields?limit=1001', ['query', 'limit']],
    ['/metadata/fields?cursor=abc', ['query', 'cursor']],
    ['/metadata/fields/a/values?cursor=eyJuYW1lIjoiYSJ9', ['query', 'cursor']],
    ['/metadata/fields/$a/values', ['path', 'name']],
  ])('%s is a 422 at %j', async (path, loc) => {
    const answer = await client.get(encodeURI(path));
    expect(answer.status).toBe(422);
    expect((answer.json() as { detail: { loc: unknown }[] }).detail[0]?.loc).toEqual(loc);
  });
});
