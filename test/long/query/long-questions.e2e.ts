import type { Answer } from '../../support/client.js';
import { Documents, type Chunk } from '../../support/documents.js';
import { Service } from '../../support/service.js';

const MOST = 32 * 1_024;
const DOORS: readonly (readonly [
  path: string,
  place: readonly (string | number)[],
  body: (text: string) => object,
])[] = [
  ['/retrieve/chunks', ['body', 'query'], (query) => ({ query })],
  ['/retrieve/chunks/grouped', ['body', 'query'], (query) => ({ query })],
  ['/query', ['body', 'query'], (query) => ({ query, inline_citations: true })],
  [
    '/v1/chat/completions',
    ['body', 'messages', 0, 'content'],
    (content) => ({ model: 'lectern', messages: [{ role: 'user', content }] }),
  ],
];

/** Returns a text of the maximum number of bytes. */
function filled(piece: (index: number) => string): string {
  let text = '';
  for (let index = 0; text.length < MOST; index += 1) text += piece(index);
  return text.slice(0, MOST);
}

const QUESTIONS: readonly (readonly [name: string, text: string])[] = [
  ['distinct words', filled((index) => `${index.toString(36)} `)],
  ['one word', 'a'.repeat(MOST)],
  ['white space', `a${' '.repeat(MOST - 2)}b`],
  ['hyphens', filled(() => 'a-')],
  ['names', filled((index) => `Ab${index} `)],
  ['the beginning of a question', filled(() => 'how much does ')],
];

describe('a long question', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start({ QUERY_ENTITIES: 'true' });
    const documents = new Documents(() => service.client);
    await documents.ingestText('The heliograph on the ridge is serviced by the quartermaster every spring.', {
      folder_name: '/ridge',
    });
    await documents.ingestText('Tea is served in the hall every afternoon.', { folder_name: '/ridge' });
  });
  afterAll(() => service.stop());

  it.each(DOORS)('over 32 KiB is rejected at its location: %s', async (path, place, body) => {
    // The limit counts bytes, not characters.
    for (const text of ['a'.repeat(MOST + 1), 'é'.repeat(MOST / 2 + 1)]) {
      const answer = await service.client.post(path, body(text));
      expect([answer.status, itemsOf(answer)]).toEqual([
        path.startsWith('/v1/') ? 400 : 422,
        [
          {
            loc: place,
            msg: `Value error, text should have at most ${MOST} bytes in UTF-8`,
            type: 'value_error',
          },
        ],
      ]);
    }
  });

  it.each(
    DOORS.flatMap(([path, , body]) => QUESTIONS.map(([name, text]) => [path, name, body(text)] as const)),
  )('of 32 KiB is answered: %s, %s', async (path, _name, body) => {
    expect((await service.client.post(path, body)).status).toBe(200);
  });

  it('is searched by its rarest words', async () => {
    const query = `${filled((index) => `z${index.toString(36)} `).slice(0, MOST - 100)} heliograph quartermaster`;
    const answer = await service.client.post('/retrieve/chunks', { query, folder_name: '/ridge' });
    expect(answer.status).toBe(200);
    const [best, other] = answer.json() as Chunk[];
    expect(best?.content).toContain('heliograph');
    expect(best?.score).toBeGreaterThan(other?.score ?? 1);
  });
});

function itemsOf(answer: Answer): unknown {
  return (answer.json() as { detail: unknown }).detail;
}
