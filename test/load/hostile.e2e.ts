import type { Documents } from '../support/documents.js';
import { FakeEmbeddedService } from '../support/fake-embedded-service.js';
import type { Service } from '../support/service.js';
import { hostileFiles, LARGE, plainText, TOO_MUCH } from '../long/hostile/hostile-files.js';

/** How large the files are: 1 in every run, HOSTILE=10 as large as they come. */
const SCALE = Number(process.env['HOSTILE'] ?? '1');

/** Size of a long text in MB: HOSTILE_TEXT_MB=200 is the longest that is taken. */
const TEXT_MB = Number(process.env['HOSTILE_TEXT_MB'] ?? '0.2');

/** MAX_FILE_MB of the service. */
const MAX_FILE_MB = Math.max(20 * SCALE, Math.ceil(TEXT_MB)) + 1;

/** What the process may hold at once, all threads together; what reads files is not a part of it. */
const MAX_MEGABYTES = 1_024;

jest.setTimeout(300_000 * SCALE + TEXT_MB * 10_000);

describe('files made to do harm', () => {
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
      return; // as well as may be
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

  it(`refuses a file of more than ${MAX_FILE_MB} MB while it is sent`, async () => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(MAX_FILE_MB * 2 ** 20 + 1).fill(0x61)]), 'over.txt');
    const answer = await service.client.post('/ingest/file', form);
    expect([answer.status, answer.json()]).toEqual([
      413,
      { detail: `The file is larger than ${MAX_FILE_MB} MB` },
    ]);
  });

  /** Asks an ordinary question again and again until `work` is done. */
  async function whileAnswering<T>(work: () => Promise<T>): Promise<T> {
    const ended = new AbortController();
    const done = work().finally(() => {
      ended.abort();
    });
    do {
      const [found] = await documents.retrieve({ query: 'Where is the spare key of the boathouse?', k: 1 });
      expect(found?.content).toContain('blue door');
      await new Promise((resolve) => setTimeout(resolve, 100));
    } while (!ended.signal.aborted);
    return done;
  }
});
