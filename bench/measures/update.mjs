import { ingest } from '../ingest.mjs';
import { prose } from '../prose.mjs';
import { percentile } from '../report.mjs';
import { openHome } from '../service.mjs';
import { randomSource } from '../random-source.mjs';
import { DIMENSIONS, settingsFor } from '../topic-embeddings.mjs';
import { startFakeEmbeddings } from '../../test/support/fake-embeddings.mjs';

const KIB = 1024;
/** Lengths of the documents to append to. The shortest document is the baseline. */
const SIZES = [10 * KIB, 1_000 * KIB, 10_000 * KIB];
const ADDED = KIB;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 40);

/** `update_text` with `add` on documents of several lengths, compared with their first ingestion. */
export const update = {
  name: 'update',
  about: 'adding 1 KB to documents of 10 KB, 1 MB and 10 MB',

  async run({ databaseUrl, say }) {
    let texts = 0;
    const embeddings = await startFakeEmbeddings({
      dimensions: DIMENSIONS,
      answer: ({ body }) => {
        texts += body.input.length;
        return undefined;
      },
    });
    const home = await openHome(databaseUrl);
    try {
      const service = await home.start(settingsFor(embeddings));
      const random = randomSource(1);
      const documents = [];
      for (const size of SIZES) {
        say(`first version of ${label(size)}`);
        const { seconds, ids } = await ingest(service, [{ content: prose(random, size) }]);
        documents.push({ id: ids[0], size, ingested: 1_000 * seconds, times: [], texts: [], chunks: 0 });
      }
      for (let round = -2; round < ROUNDS; round += 1) {
        say(`round ${round + 1} of ${ROUNDS}`);
        for (const document of documents) {
          const before = texts;
          const begun = performance.now();
          const record = await service.call(`/documents/${document.id}/update_text`, {
            content: prose(random, ADDED),
          });
          if (round < 0) continue; // warm-up
          document.times.push(performance.now() - begun);
          document.texts.push(texts - before);
          document.chunks = record.chunk_ids.length;
        }
      }
      await service.stop();
      const base = percentile(documents[0].times, 50);
      return {
        sizes: { added: label(ADDED), rounds: ROUNDS },
        columns: ['document', 'chunks', 'ingestion ms', 'add p50 ms', 'add p95 ms', 'maximum texts embedded'],
        rows: documents.map(({ size, chunks, ingested, times, texts: counts }) => [
          label(size),
          chunks,
          ingested,
          percentile(times, 50),
          percentile(times, 95),
          Math.max(...counts),
        ]),
        ratios: documents.slice(1).map(({ size, times, ingested }) => {
          const median = percentile(times, 50);
          return `${label(size)}: an add takes ${(median / base).toFixed(2)} times as long as on ${label(SIZES[0])}, and ${((100 * median) / ingested).toPrecision(2)}% of the time of the document's ingestion.`;
        }),
      };
    } finally {
      await home.close();
      await embeddings.close();
    }
  },
};

const label = (size) => (size < 1_000 * KIB ? `${size / KIB} KB` : `${size / (1_000 * KIB)} MB`);
