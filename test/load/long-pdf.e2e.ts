import type { DocumentRecord, Documents } from '../support/documents.js';
import { FakeEmbeddedService } from '../support/fake-embedded-service.js';
import type { Service } from '../support/service.js';
import { longPdf } from './long-pdf-file.mjs';
import { pause } from '../support/until.js';

/** PAGES=2000 for the long run. */
const PAGES = Number(process.env['PAGES'] ?? '60');

/** Memory limit of the process; the embedded database uses half of it. */
const MAX_MEGABYTES = process.env['DATABASE_URL'] === undefined ? 1_024 : 512;

describe(`a PDF of ${PAGES} pages`, () => {
  let embedded: FakeEmbeddedService;
  let service: Service;
  let documents: Documents;
  beforeAll(async () => {
    embedded = await FakeEmbeddedService.start();
    ({ service, documents } = embedded);
    await embedded.warmUp();
  });
  afterAll(() => embedded.stop());

  it('is parsed in bounded memory, with reported progress, while other requests are answered', async () => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(await longPdf(PAGES))]), 'long.pdf');
    const alone: number[] = [];
    for (let asked = -5; asked < 40; asked += 1) {
      const time = await timeOfQuestion(25);
      if (asked >= 0) alone.push(time); // the first requests warm up the service
    }

    const { external_id: id } = (await service.client.post('/ingest/file', form)).json() as DocumentRecord;
    const meanwhile: number[] = [];
    const percentages: number[] = [];
    for (let status = await statusOf(id); status.status === 'processing'; status = await statusOf(id)) {
      percentages.push(status.progress?.percentage ?? 0);
      meanwhile.push(await timeOfQuestion(100));
    }

    const { system_metadata: told } = await documents.get(id);
    expect([told.status, told.error, told.page_count]).toEqual(['completed', undefined, PAGES]);
    expect(await service.peakMegabytes()).toBeLessThan(MAX_MEGABYTES);
    expect(percentages).toEqual(percentages.toSorted((a, b) => a - b));
    expect(new Set(percentages).size).toBeGreaterThan(PAGES >= 500 ? 10 : 1);
    const [last] = await documents.retrieve({
      query: `Page ${PAGES} paragraph 1`,
      k: 1,
      filters: { external_id: id },
    });
    expect(last?.metadata['page_number']).toBe(PAGES);
    process.stdout.write(
      `${PAGES} pages, ${told.chunk_count} chunks: peak ${Math.round(await service.peakMegabytes())} MB, ${new Set(percentages).size} percentages, p95 of a question ${Math.round(p95(alone))} ms alone, ${Math.round(p95(meanwhile))} ms meanwhile\n`,
    );
  });

  async function statusOf(
    id: string,
  ): Promise<{ readonly status: string; readonly progress?: { readonly percentage: number } }> {
    return (await service.client.get(`/documents/${id}/status`)).json() as never;
  }

  /** Measures the duration of a query after a pause, in ms. */
  async function timeOfQuestion(pauseMs: number): Promise<number> {
    await pause(pauseMs, 'the rate of the load');
    const begun = performance.now();
    const [found] = await documents.retrieve({ query: 'Where is the spare key of the boathouse?', k: 1 });
    expect(found?.content).toContain('blue door');
    return performance.now() - begun;
  }
});

function p95(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? NaN;
}
