import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../support/client.js';
import type { DocumentRecord } from '../support/documents.js';
import { Random } from '../support/random.js';
import { Service } from '../support/service.js';

/** MIXED_MINUTES=10 for the long run. */
const MINUTES = Number(process.env['MIXED_MINUTES'] ?? '0.2');
const CLIENTS = 8;

/** Caches are full and threads warm after this time; memory is measured from then on. */
const WARM_MINUTES = 3;

jest.setTimeout(120_000 + MINUTES * 90_000);

type Operation = (random: Random, ids: string[]) => Promise<Answer>;

describe(`${CLIENTS} clients with mixed requests for ${MINUTES} minutes`, () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.stop());

  const question = (random: Random) => ({ query: random.words(6), k: 10 });

  const ingest: Operation = async (random, ids) => {
    const body = { content: random.words(400), metadata: { n: random.below(100) } };
    const answer = await service.client.post('/ingest/text', body);
    if (answer.status === 200) ids.push((answer.json() as DocumentRecord).external_id);
    return answer;
  };

  const oneOf = (random: Random, ids: readonly string[]) => ids[random.below(ids.length)] ?? 'none';

  const operations: readonly [Operation, ...Operation[]] = [
    ingest,
    (random) => service.client.post('/retrieve/chunks', question(random)),
    (random) => service.client.post('/retrieve/chunks/grouped', question(random)),
    (random) => service.client.post('/query', question(random)),
    (random, ids) =>
      service.client.post(`/documents/${oneOf(random, ids)}/update_text`, { content: random.words(40) }),
    (random, ids) => {
      const [id = 'none'] = ids.splice(random.below(ids.length), 1);
      return service.client.delete(`/documents/${id}`);
    },
  ];

  it('get responses, and memory does not grow', async () => {
    const statuses = new Map<number, number>();
    const pings: number[] = [];
    const megabytes = [await service.presentMegabytes()];
    const end = performance.now() + MINUTES * 60_000;
    const running = () => performance.now() < end;

    const client = async (seed: number) => {
      const random = new Random(seed);
      const ids: string[] = [];
      while (running()) {
        const operation = random.pick(operations);
        const { status } = await operation(random, ids);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const ping = async () => {
      while (running()) {
        const begun = performance.now();
        await service.as(null).get('/ping');
        pings.push(performance.now() - begun);
        await delay(100);
      }
    };
    const measure = async () => {
      for (let minute = 1; minute <= MINUTES; minute += 1) {
        await delay(60_000);
        megabytes.push(await service.presentMegabytes());
      }
    };
    await Promise.all([...Array.from({ length: CLIENTS }, (_, n) => client(n + 1)), ping(), measure()]);

    const told = [
      `${CLIENTS} clients, ${MINUTES} minutes: ${[...statuses].map(([status, n]) => `${n} x ${status}`).join(', ')}`,
      `memory at start and each minute: ${megabytes.map(Math.round).join(', ')} MB`,
      `slope after minute ${WARM_MINUTES}: ${slope(megabytes.slice(WARM_MINUTES)).toFixed(1)} MB a minute`,
      `worst /ping: ${Math.round(Math.max(...pings))} ms of ${pings.length}`,
    ];
    process.stdout.write(`${told.join('\n')}\n`);
    // 404: the client has deleted all its documents; 409: the document is still processing.
    expect([200, 404, 409]).toEqual(expect.arrayContaining([...statuses.keys()]));
    expect(statuses.get(200)).toBeGreaterThan(0);
  });
});

/** Returns the slope of the least-squares line through equidistant values; NaN for fewer than two. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const rise = values.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0);
  return rise / values.reduce((sum, _, n) => sum + (n - middle) ** 2, 0);
}
