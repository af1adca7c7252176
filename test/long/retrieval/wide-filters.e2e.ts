import type { Answer } from '../../support/client.js';
import { Documents } from '../../support/documents.js';
import { Service } from '../../support/service.js';

type Place = readonly (string | number)[];

type Door = readonly [path: string, place: Place, body: (filter: object) => object];

/** Routes whose bodies may be longer than the text limit of a filter. */
const WIDE_DOORS: readonly Door[] = [
  ['/retrieve/chunks', ['body', 'filters'], (filters) => ({ query: 'tea', filters })],
  ['/retrieve/chunks/grouped', ['body', 'filters'], (filters) => ({ query: 'tea', filters })],
  ['/query', ['body', 'filters'], (filters) => ({ query: 'tea', filters })],
];

const DOORS: readonly Door[] = [
  ...WIDE_DOORS,
  [
    '/v1/chat/completions',
    ['body', 'metadata', 'filters'],
    (filters) => ({
      model: 'lectern',
      messages: [{ role: 'user', content: 'tea' }],
      metadata: { filters: JSON.stringify(filters) },
    }),
  ],
  ['/search/documents', ['body', 'filters'], (filters) => ({ query: 'tea', filters })],
  ['/documents', ['body', 'document_filters'], (document_filters) => ({ document_filters })],
  ['/documents/list_docs', ['body', 'document_filters'], (document_filters) => ({ document_filters })],
];

const numbers = (length: number): number[] => Array.from({ length }, (_, index) => 1_000_000 + index);

/** Returns alternatives of 5,000 numbers each. */
const wide = (alternatives: number) => ({
  $or: Array.from({ length: alternatives }, (_, index) => ({ [`field${index}`]: { $in: numbers(5_000) } })),
});

describe('a wide filter', () => {
  let service: Service;
  let documentId: string;
  beforeAll(async () => {
    service = await Service.start();
    const documents = new Documents(() => service.client);
    const metadata = { field3: 1_004_999 };
    documentId = (await documents.ingestText('Tea is served at four.', { filename: 'tea.txt', metadata }))
      .external_id;
  });
  afterAll(() => service.stop());

  it.each(DOORS)('is rejected at the operand with too many values: %s', async (path, place, body) => {
    const answer = await service.client.post(path, body(wide(6)));
    expect(answer.status).toBe(path.startsWith('/v1/') ? 400 : 422);
    expect(itemsOf(answer)).toEqual([tooMuchAt([...place, '$or', 4, 'field4', '$in'])]);
  });

  it.each(WIDE_DOORS)('is rejected at the operand with too much text: %s', async (path, place, body) => {
    const filter = { name: 'a'.repeat(600_000), other: { $eq: 'a'.repeat(600_000) } };
    const answer = await service.client.post(path, body(filter));
    expect(answer.status).toBe(422);
    expect(itemsOf(answer)).toEqual([tooMuchAt([...place, 'other', '$eq'])]);
  });

  it('with more values than any body may contain is rejected during parsing', async () => {
    const answer = await service.client.post('/retrieve/chunks', { query: 'tea', filters: wide(100) });
    expect(answer.status).toBe(422);
    expect(itemsOf(answer)).toEqual([
      {
        loc: ['body', expect.any(Number)],
        msg: 'Value error, JSON must not have more than 50000 values',
        type: 'value_error',
      },
    ]);
  });

  it.each(DOORS)('within the limits is accepted: %s', async (path, _place, body) => {
    for (const filter of [
      wide(4),
      { external_id: { $nin: numbers(10_000).map(String) }, field3: { $in: numbers(10_000) } },
    ]) {
      const answer = await service.client.post(path, body(filter));
      expect(answer.status).toBe(200);
      expect(answer.text).toContain(documentId);
    }
  });
});

const tooMuchAt = (loc: Place) => ({
  loc,
  msg: 'a filter expects at most 22000 values and 1048576 bytes of text in all its operands, got more',
  type: 'value_error',
});

function itemsOf(answer: Answer): unknown {
  return (answer.json() as { detail: unknown }).detail;
}
