import { ingest } from '../ingest.mjs';
import { percentile } from '../report.mjs';
import { openHome } from '../service.mjs';

const RUNS = 5;
const DOCUMENTS = 200;

/**
 * Measures the time from process start to the first retrieval, alternately with an empty data folder and with a data
 * folder that contains documents.
 */
export const start = {
  name: 'start',
  about: 'seconds from the start of the process to the first answered request',

  async run({ databaseUrl, say }) {
    const fullHome = await openHome(databaseUrl);
    await fill(fullHome);
    const empty = [];
    const full = [];
    for (let run = 1; run <= RUNS; run += 1) {
      say(`run ${run} of ${RUNS}`);
      const emptyHome = await openHome(databaseUrl);
      empty.push(await timeFirstAnswer(emptyHome));
      await emptyHome.close();
      full.push(await timeFirstAnswer(fullHome));
    }
    await fullHome.close();
    const row = (label, seconds) => [
      label,
      percentile(seconds, 50),
      Math.min(...seconds),
      Math.max(...seconds),
    ];
    return {
      sizes: { runs: RUNS, documents: DOCUMENTS },
      columns: ['data folder', 'median s', 'minimum s', 'maximum s'],
      rows: [row('empty', empty), row(`${DOCUMENTS} documents`, full)],
    };
  },
};

async function fill(home) {
  const service = await home.start();
  const notes = Array.from({ length: DOCUMENTS }, (_, number) => ({
    content: `Note ${number}. The lamp of tower ${number} was lit ${number % 60} minutes after sunset.`,
    filename: `note-${number}.txt`,
  }));
  await ingest(service, notes);
  await service.stop();
}

async function timeFirstAnswer(home) {
  const service = await home.start();
  await service.call('/retrieve/chunks', { query: 'When was the lamp of tower 7 lit?' });
  const seconds = (performance.now() - service.begun) / 1000;
  await service.stop();
  return seconds;
}
