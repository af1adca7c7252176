import type { Documents } from '../support/documents.js';
import { FakeEmbeddedService } from '../support/fake-embedded-service.js';
import type { Service } from '../support/service.js';
import { hostileFiles, LARGE, plainText, TOO_MUCH } from '../long/hostile/hostile-files.js';
import { pause } from '../support/until.js';

/** Scale of the files: 1 in every run, HOSTILE=10 for the largest. */
const SCALE = Number(process.env['HOSTILE'] ?? '1');

/** Size of a long text in MB: HOSTILE_TEXT_MB=200 is the largest accepted. */
const TEXT_MB = Number(process.env['HOSTILE_TEXT_MB'] ?? '0.2');

/** MAX_FILE_MB of the service. */
const MAX_FILE_MB = Math.max(20 * SCALE, Math.ceil(TEXT_MB)) + 1;

/** Memory limit of the process with all threads, without parser processes. */
const MAX_MEGABYTES = 1_024;

describe('hostile files', () => {
  let embedded: FakeEmbeddedService;
  let service: Service;
  let documents: Documents;
  beforeAll(async () => {
    embedded = await FakeEmbeddedService.start({
      MAX_FILE_MB: String(MAX_FILE_MB),
    });
    ({ service, documents } = embedded);
    await embedded.warmUp();
  });
  afterAll(() => embedded.stop());

  it.each(hostileFiles(SCALE))('$name', async ({ name, bytes, reason }) => {
    const { system_metadata: told } = await whileAnswering(() => documents.ingestFile(name, bytes()));
    expect(await service.peakMegabytes()).toBeLessThan(MAX_MEGABYTES);
    if ((SCALE > 1 || reason === LARGE) && told.status === 'failed' && TOO_MUCH.test(told.error ?? ''))
      return; // either outcome, depending on the machine
    if (reason === null || reason === LARGE)
      expect([told.status, told.error]).toEqual(['completed', undefined]);
    else expect([told.status, told.error]).toEqual(['failed', expect.stringMatching(reason) as unknown]);
  });

  it(`reads a text of ${TEXT_MB} MB`, async () => {
    const bytes = Buffer.concat([...plainText(TEXT_MB * 1_000_000)]);
    const { system_metadata: told } = await whileAnswering(() => documents.ingestFile('long.txt', bytes));
    expect([told.status, told.error]).toEqual(['completed', undefined]);
    expect(await service.peakMegabytes()).toBeLessThan(MAX_MEGABYTES);
  });

  it(`rejects a file of more than ${MAX_FILE_MB} MB during the upload`, async () => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(MAX_FILE_MB * 2 ** 20 + 1).fill(0x61)]), 'over.txt');
    const answer = await service.client.post('/ingest/file', form);
    expect([answer.status, answer.json()]).toEqual([
      413,
      { detail: `The file is larger than ${MAX_FILE_MB} MB` },
    ]);
  });

  /** Repeats an ordinary query until `work` is done. */
  async function whileAnswering<T>(work: () => Promise<T>): Promise<T> {
    const ended = new AbortController();
    const done = work().finally(() => {
      ended.abort();
    });
    do {
      const [found] = await documents.retrieve({ query: 'Where is the spare key of the boathouse?', k: 1 });
      expect(found?.content).toContain('blue door');
      await pause(100, 'the rate of the load');
    } while (!ended.signal.aborted);
    return done;
  }
});
