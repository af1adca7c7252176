import { hostileFiles } from '../long/hostile/hostile-files.js';
import { FakeEmbeddedService } from '../support/fake-embedded-service.js';
import { whilePinging } from '../support/while-pinging.js';
import { pause } from '../support/until.js';

/** ROUNDS=10 for the long run. */
const ROUNDS = Number(process.env['ROUNDS'] ?? '2');

/** Small files that expand to large ones. */
const BOMBS = hostileFiles(1).filter(({ name }) => /bomb|\.pdf$|\.png$|laughs|deep\.(json|xml)/.test(name));

/** Memory of the idle service and its parser processes; the embedded database adds to it. */
const AT_REST_MEGABYTES = process.env['DATABASE_URL'] === undefined ? 1_536 : 1_024;

/** Allowed growth from the first round to the last. */
const MORE_MEGABYTES = 100;

describe(`${ROUNDS} rounds of ${BOMBS.length} files that expand`, () => {
  let embedded: FakeEmbeddedService;
  beforeAll(async () => {
    embedded = await FakeEmbeddedService.start();
    await embedded.warmUp();
  });
  afterAll(() => embedded.stop());

  it('use no more memory than the first round', async () => {
    const { service, documents } = embedded;
    const before = await service.presentMegabytesWithReaders();
    const ended = new AbortController();
    let peak = 0;
    const measured = (async () => {
      while (!ended.signal.aborted) {
        peak = Math.max(peak, await service.presentMegabytesWithReaders());
        await pause(100, 'memory is measured often');
      }
    })();
    const atRest: number[] = [];
    const times = await whilePinging(service.url, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const { name, bytes, reason } of BOMBS) {
          const { system_metadata: told } = await documents.ingestFile(name, bytes());
          if (reason instanceof RegExp)
            expect([name, told.error]).toEqual([name, expect.stringMatching(reason)]);
        }
        atRest.push(await service.presentMegabytesWithReaders());
      }
    });
    ended.abort();
    await measured;
    process.stdout.write(
      `memory with readers: ${Math.round(before)} MB before, after each round ${atRest.map(Math.round).join(', ')} MB, peak ${Math.round(peak)} MB, of the service alone ${Math.round(await service.peakMegabytes())} MB; worst /ping ${Math.round(Math.max(...times))} ms of ${times.length}\n`,
    );
    const [first = 0] = atRest;
    expect(Math.max(...atRest)).toBeLessThan(AT_REST_MEGABYTES);
    expect(atRest.at(-1)).toBeLessThan(first + MORE_MEGABYTES);
  });
});
