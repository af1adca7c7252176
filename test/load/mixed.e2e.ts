import type { Answer } from '../support/client.js';
import type { DocumentRecord } from '../support/documents.js';
import { readEvents } from '../support/event-stream.js';
import { FakeProvider } from '../support/fake-provider/fake-provider.js';
import { Random } from '../support/random.js';
import { Service } from '../support/service.js';
import { pause, until } from '../support/until.js';

/** MIXED_MINUTES=15 and MIXED_STREAMS=500 for the long run. */
const MINUTES = Number(process.env['MIXED_MINUTES'] ?? '0.2');
const STREAMS = Number(process.env['MIXED_STREAMS'] ?? '20');
const CLIENTS = 8;

/** Each client keeps about this many documents, so that searches do the same work from beginning to end. */
const DOCUMENTS_PER_CLIENT = 20;

/** Sockets that a service keeps after its first requests: to the database, to models and to its processes. */
const KEPT_SOCKETS = 30;

/** A stream of half a minute, with three words a second. */
const SLOW_MODEL = 'hosted_vllm/tokens:100|token-delay:300';

/** Caches are full and threads warm after this time; memory is measured from then on. */
const WARM_MINUTES = 3;

type Operation = (random: Random, ids: string[]) => Promise<Answer>;

describe(`${CLIENTS} clients with mixed requests and ${STREAMS} open streams for ${MINUTES} minutes`, () => {
  let provider: FakeProvider;
  let service: Service;
  beforeAll(async () => {
    provider = await FakeProvider.start();
    service = await Service.start({
      LLM_MODEL: 'hosted_vllm/plain',
      LLM_API_BASE: provider.url,
      LLM_API_KEY: 'none',
    });
  });
  afterAll(async () => {
    await service.stop();
    await provider.close();
  });

  const question = (random: Random) => ({ query: random.words(6), k: 10 });

  const ingest: Operation = async (random, ids) => {
    const body = { content: random.words(400), metadata: { n: random.below(100) } };
    const answer = await service.client.post('/ingest/text', body);
    if (answer.status === 200) ids.push((answer.json() as DocumentRecord).external_id);
    return answer;
  };

  const remove: Operation = async (random, ids) => {
    const [id = 'none'] = ids.splice(random.below(ids.length), 1);
    const answer = await service.client.delete(`/documents/${id}`);
    if (answer.status === 409) ids.push(id); // it is still processing
    return answer;
  };

  const oneOf = (random: Random, ids: readonly string[]) => ids[random.below(ids.length)] ?? 'none';

  const operations: readonly [Operation, ...Operation[]] = [
    (random, ids) => (ids.length < DOCUMENTS_PER_CLIENT + 5 ? ingest : remove)(random, ids),
    (random) => service.client.post('/retrieve/chunks', question(random)),
    (random) => service.client.post('/retrieve/chunks/grouped', question(random)),
    (random) => service.client.post('/query', question(random)),
    (random, ids) =>
      service.client.post(`/documents/${oneOf(random, ids)}/update_text`, { content: random.words(40) }),
    (random, ids) => (ids.length > DOCUMENTS_PER_CLIENT - 5 ? remove : ingest)(random, ids),
  ];

  /** Size of the JavaScript heap, including garbage that V8 has not collected yet. */
  const heapMegabytes = async (): Promise<number> => {
    const { text } = await service.client.get('/metrics');
    return Number(/^nodejs_heap_size_total_bytes (\S+)/m.exec(text)?.[1]) / 2 ** 20;
  };

  const openSockets = async (): Promise<number> =>
    (await service.openFiles()).filter((name) => name.startsWith('socket:')).length;

  it('get responses, and leave no connection open', async () => {
    const statuses = new Map<number, number>();
    const ends = new Map<string, number>();
    const times: number[] = [];
    const pings: number[] = [];
    const socketsBefore = await openSockets();
    const megabytes = [await service.presentMegabytes()];
    const outsideHeap: number[] = [];
    const idsOf = Array.from({ length: CLIENTS }, (): string[] => []);
    await Promise.all(
      idsOf.map(async (ids, at) => {
        const random = new Random(CLIENTS + at + 1);
        while (ids.length < DOCUMENTS_PER_CLIENT) {
          await ingest(random, ids);
        }
      }),
    );
    const end = performance.now() + MINUTES * 60_000;
    const running = () => performance.now() < end;

    const client = async (seed: number) => {
      const random = new Random(seed);
      const ids = idsOf[seed - 1] ?? [];
      while (running()) {
        const operation = random.pick(operations);
        const begun = performance.now();
        const { status } = await operation(random, ids);
        times.push(performance.now() - begun);
        count(statuses, status);
      }
    };
    const stream = async (seed: number) => {
      const random = new Random(seed);
      await pause(random.below(Math.min(30_000, MINUTES * 20_000)), 'streams begin at different times');
      while (running()) {
        const body = { ...question(random), stream_response: true, llm_config: { model: SLOW_MODEL } };
        const response = await service.client.fetch('POST', '/query', { body });
        expect(response.status).toBe(200);
        count(ends, (await readEvents(response)).at(-1)?.type ?? 'nothing');
        provider.forget(); // it records every call
      }
    };
    const ping = async () => {
      while (running()) {
        const begun = performance.now();
        await service.as(null).get('/ping');
        pings.push(performance.now() - begun);
        await pause(100, 'the rate of the load');
      }
    };
    const measure = async () => {
      for (let minute = 1; minute <= MINUTES; minute += 1) {
        await pause(60_000, 'memory is measured every minute');
        const present = await service.presentMegabytes();
        megabytes.push(present);
        outsideHeap.push(present - (await heapMegabytes()));
      }
    };
    await Promise.all([
      ...Array.from({ length: CLIENTS }, (_, n) => client(n + 1)),
      ...Array.from({ length: STREAMS }, (_, n) => stream(n + 1)),
      ping(),
      measure(),
    ]);
    const third = Math.floor(times.length / 3);

    const lines = [
      `${CLIENTS} clients, ${MINUTES} minutes: ${told(statuses)}`,
      `${STREAMS} streams at once: ${told(ends)}`,
      `p99 of the first and of the last third: ${[times.slice(0, third), times.slice(-third)].map((part) => Math.round(percentile99(part))).join(', ')} ms`,
      `memory at start and each minute: ${megabytes.map(Math.round).join(', ')} MB`,
      `slope after minute ${WARM_MINUTES}: ${slope(megabytes.slice(WARM_MINUTES)).toFixed(1)} MB a minute`,
      `outside the JavaScript heap each minute: ${outsideHeap.map(Math.round).join(', ')} MB, slope ${slope(outsideHeap.slice(WARM_MINUTES - 1)).toFixed(1)} MB a minute`,
      `worst /ping: ${Math.round(Math.max(...pings))} ms of ${pings.length}`,
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    // 409: the document is still processing.
    expect([200, 409]).toEqual(expect.arrayContaining([...statuses.keys()]));
    expect(statuses.get(200)).toBeGreaterThan(0);
    expect([...ends.keys()]).toEqual(['done']);
    expect(service.output).not.toContain('MaxListenersExceededWarning');
    // The server closes idle connections after 72 s.
    await until('the sockets close', async () => (await openSockets()) <= socketsBefore + KEPT_SOCKETS, {
      seconds: 120,
    });
  });
});

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const told = (counts: ReadonlyMap<number | string, number>): string =>
  [...counts].map(([what, n]) => `${n} x ${what}`).join(', ');

function percentile99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? NaN;
}

/** Returns the slope of the least-squares line through equidistant values; NaN for fewer than two. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const rise = values.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0);
  return rise / values.reduce((sum, _, n) => sum + (n - middle) ** 2, 0);
}
