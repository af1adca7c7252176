import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../report.mjs';
import { megabytesOf, openHome } from '../service.mjs';
import { longPdf } from '../../test/load/long-pdf-file.mjs';

const PAGES = Number(process.env.BENCH_PAGES ?? 2_000);
/** Whether its pages are drawn and embedded as images too. */
const WITH_IMAGES = process.env.BENCH_PAGE_IMAGES === 'true';
const ALONE = Number(process.env.BENCH_QUESTIONS ?? 100);
/** Between two questions. */
const PAUSE_MS = 50;

/** Retrievals of one client alone and while a long PDF is read, embedded with the bundled model and stored. */
export const beside = {
  name: 'beside',
  about: `questions while a PDF of ${PAGES.toLocaleString('en-US')} pages is ingested`,

  async run({ databaseUrl, say }) {
    const home = await openHome(databaseUrl);
    try {
      let service = await home.start();
      await ingested(service, 'key.txt', 'The spare key hangs behind the blue door of the boathouse.');
      await service.stop(); // the first start of the embedded database takes memory that running it does not
      service = await home.start();
      for (let round = 0; round < 20; round += 1) await question(service); // to warm up

      say(`${ALONE} questions alone`);
      const alone = [];
      while (alone.length < ALONE) alone.push(await question(service));

      say('questions meanwhile');
      const begun = performance.now();
      const id = await upload(service, 'long.pdf', await longPdf(PAGES));
      const meanwhile = { parsing: [], embedding: [], all: [] };
      for (let status = await statusOf(service, id); status.status === 'processing';) {
        const ms = await question(service);
        meanwhile.all.push(ms);
        meanwhile[status.progress?.step_name]?.push(ms);
        status = await statusOf(service, id);
      }
      const seconds = (performance.now() - begun) / 1_000;
      const { status, error } = await statusOf(service, id);
      if (status !== 'completed') throw new Error(`the PDF ended ${status}: ${error}`);
      const peak = await megabytesOf(service.pid, 'VmHWM');
      await service.stop();
      return {
        sizes: {
          pages: `${PAGES}${WITH_IMAGES ? ', with images' : ''}`,
          'seconds of ingestion': Math.round(seconds),
          'peak MB': peak,
        },
        columns: ['questions', 'number', 'p50 ms', 'p95 ms', 'longest ms'],
        rows: [
          ['alone', alone],
          ['while it is read', meanwhile.parsing],
          ['while it is embedded', meanwhile.embedding],
          ['meanwhile, all', meanwhile.all],
        ].map(([name, times]) => [
          name,
          times.length,
          percentile(times, 50),
          percentile(times, 95),
          percentile(times, 100),
        ]),
        ratios: [
          `Meanwhile the p95 of a question is ${(percentile(meanwhile.all, 95) / percentile(alone, 95)).toFixed(2)} times the one alone.`,
        ],
      };
    } finally {
      await home.close();
    }
  },
};

let asked = 0;

/** Milliseconds of a retrieval whose question was never asked before, after a pause. */
async function question(service) {
  await pause(PAUSE_MS);
  asked += 1;
  const begun = performance.now();
  const [chunk] = await service.call('/retrieve/chunks', {
    query: `Where is spare key number ${asked} of the boathouse?`,
    k: 1,
  });
  const ms = performance.now() - begun;
  if (!chunk.content.includes('blue door')) throw new Error(`another passage was found: ${chunk.content}`);
  return ms;
}

async function ingested(service, name, content) {
  const id = await upload(service, name, content);
  while ((await statusOf(service, id)).status === 'processing') await pause(20);
}

async function upload(service, name, content) {
  const form = new FormData();
  form.append('file', new Blob([content]), name);
  if (WITH_IMAGES) form.append('use_colpali', 'true');
  const response = await fetch(`${service.base}/ingest/file`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.key}` },
    body: form,
  });
  if (!response.ok) throw new Error(`the upload answered ${response.status}: ${await response.text()}`);
  return (await response.json()).external_id;
}

const statusOf = (service, id) => service.call(`/documents/${id}/status`);
