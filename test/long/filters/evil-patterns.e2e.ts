import { EVIL, EVIL_TEXTS } from '../../filters/evil.js';
import type { Answer } from '../../support/client.js';
import { Documents, type Chunk } from '../../support/documents.js';
import { Service } from '../../support/service.js';

/** EVIL_MEASURE prints how long each pattern takes, and how long it delays an ordinary query. */
const MEASURES = process.env['EVIL_MEASURE'] !== undefined;

describe('a catastrophic regex over values of 100 KB', () => {
  let service: Service;
  const ids: string[] = [];
  const measured: { pattern: string; status: number; slowest: number; delay: number }[] = [];
  let undisturbed = 0;

  beforeAll(async () => {
    service = await Service.start();
    const documents = new Documents(() => service.client);
    for (const text of EVIL_TEXTS) {
      const { external_id: id } = await documents.ingestText('The quiet lake.', { metadata: { text } });
      ids.push(id);
    }
    await question();
    const times: number[] = [];
    for (let count = 0; count < 20; count += 1) times.push((await timed(question)).milliseconds);
    undisturbed = times.sort((a, b) => a - b)[10] ?? 0;
  });
  afterAll(async () => {
    await service.stop();
    if (!MEASURES) return;
    const line = (each: (typeof measured)[number]) =>
      `${each.slowest.toFixed(0).padStart(6)} ms ${each.delay.toFixed(0).padStart(6)} ms  ${each.status}  ${each.pattern.slice(0, 70)}`;
    const table = measured.sort((a, b) => b.slowest - a.slowest).map(line);
    process.stdout.write(
      `\nslowest value, delay of a question (${undisturbed.toFixed(0)} ms undisturbed), status, pattern\n${table.join('\n')}\n`,
    );
  });

  it.each(EVIL.map((pattern, index) => [index, pattern] as const))(
    'is answered or rejected, and so are concurrent queries: %i',
    async (_, pattern) => {
      const ofAll = list({ text: { $regex: pattern } });
      const [listed, asked] = await Promise.all([ofAll, question()]);
      expect(asked.chunks.length).toBe(4);
      expect([200, 422]).toContain(listed.status);
      if (listed.status === 422) {
        expect(listed.json()).toMatchObject({
          detail: [{ loc: ['body', 'document_filters', 'text', '$regex'] }],
        });
      }
      if (MEASURES) await measure(pattern, listed.status);
    },
  );

  /** One value at a time: the limit is per value, and a query runs between two values. */
  async function measure(pattern: string, status: number): Promise<void> {
    let slowest = 0;
    let delay = 0;
    for (const id of ids) {
      const filter = { external_id: id, text: { $regex: pattern } };
      slowest = Math.max(slowest, (await timed(() => list(filter))).milliseconds);
      const [, asked] = await Promise.all([list(filter), timed(question)]);
      delay = Math.max(delay, asked.milliseconds - undisturbed);
    }
    measured.push({ pattern, status, slowest, delay });
  }

  function list(filter: object): Promise<Answer> {
    return service.client.post('/documents', { document_filters: filter, fields: ['external_id'] });
  }

  async function question(): Promise<{ chunks: Chunk[] }> {
    const answer = await service.client.post('/retrieve/chunks/grouped', {
      query: 'Where is the quiet lake?',
    });
    return answer.json() as { chunks: Chunk[] };
  }
});

async function timed<T>(work: () => Promise<T>): Promise<{ milliseconds: number }> {
  const begun = performance.now();
  await work();
  return { milliseconds: performance.now() - begun };
}
