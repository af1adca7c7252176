import { FakeEmbeddedService } from '../support/fake-embedded-service.js';
import type { Service } from '../support/service.js';
import { whilePinging } from '../support/while-pinging.js';
import { pause } from '../support/until.js';

/** Concurrent requests with each body: BODIES_AT_ONCE=6 in the nightly run. */
const AT_ONCE = Number(process.env['BODIES_AT_ONCE'] ?? '2');

/** Memory limit of the process with all threads. */
const MAX_MEGABYTES = 1_200;

/** Time for memory to be freed; 60 s in the long run. */
const REST_MS = Number(process.env['REST_MS'] ?? '0');

const MEGABYTE = 1_000_000;

/** Bodies that are long in every way: what they test, path, text and expected status. */
const BODIES: readonly (readonly [name: string, path: string, body: () => string, status: number])[] = [
  ['many objects', '/query', () => `[${'{},'.repeat(8 * MEGABYTE)}{}]`, 422],
  ['many levels', '/query', () => '['.repeat(12 * MEGABYTE), 422],
  ['digits', '/query', () => `[${'1'.repeat(24 * MEGABYTE)}]`, 422],
  ['broken at its end', '/query', () => `{"query":"${'x'.repeat(24 * MEGABYTE)}"`, 422],
  ['broken after many escapes', '/query', () => `{"query":"${'\\n'.repeat(12 * MEGABYTE)}"`, 422],
  ['space', '/query', () => `${' '.repeat(24 * MEGABYTE)}{`, 422],
  ['long keys', '/query', () => JSON.stringify(longKeys(40_000)), 422],
  ['exact numbers', '/query', () => `[${'12345678901234567890,'.repeat(49_000)}1]`, 422],
  ['many bytes a character', '/query', () => `{"query":"${'漢'.repeat(8 * MEGABYTE)}"`, 422],
];

describe('long bodies', () => {
  let embedded: FakeEmbeddedService;
  let service: Service;
  beforeAll(async () => {
    embedded = await FakeEmbeddedService.start();
    ({ service } = embedded);
    await embedded.warmUp();
  });
  afterAll(() => embedded.stop());

  it.each(BODIES)(`of %s, ${AT_ONCE} at once`, async (name, path, body, status) => {
    const text = body();
    const before = await service.presentMegabytes();
    const times = await whilePinging(service.url, async () => {
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, () => service.client.post(path, text)),
      );
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status));
    });
    await restful(REST_MS);
    report(name, times, before, await service.presentMegabytes(), await service.peakMegabytes());
    expect(await service.peakMegabytes()).toBeLessThan(MAX_MEGABYTES);
  });

  async function restful(durationMs: number): Promise<void> {
    for (let rested = 0; rested < durationMs; rested += 1_000) {
      await service.as(null).get('/ping');
      await pause(1_000, 'a slow client');
    }
  }
});

function longKeys(many: number): object {
  return Object.fromEntries(
    Array.from({ length: many }, (_, index) => [`${'k'.repeat(500)}${index}`, index]),
  );
}

function report(name: string, times: readonly number[], ...megabytes: readonly number[]): void {
  const [before, after, peak] = megabytes.map(Math.round);
  process.stdout.write(
    `${name}: /ping at most ${Math.round(Math.max(...times))} ms, memory ${before ?? 0} MB before, ${after ?? 0} after, ${peak ?? 0} at most\n`,
  );
}
