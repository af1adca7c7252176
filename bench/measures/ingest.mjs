import pg from 'pg';
import { copyIn, copyOut } from '../copy.mjs';
import { ingest } from '../ingest.mjs';
import { prose } from '../prose.mjs';
import { randomSource } from '../random-source.mjs';
import { percentile } from '../report.mjs';
import { openHome } from '../service.mjs';
import { DIMENSIONS, settingsFor } from '../topic-embeddings.mjs';
import { startFakeEmbeddings } from '../../test/support/fake-embeddings.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** Each round ingests one long document of about 5,000 chunks, and 500 short documents of two chunks each. */
const LONG = Number(process.env.BENCH_INGEST_CHARACTERS ?? 3_200_000);
const SHORT = { count: Number(process.env.BENCH_INGEST_DOCUMENTS ?? 500), length: 1_000 };

/** Compares ingestion, with an embedder that takes almost no time, with `COPY` of the same chunks into a twin table. */
export const ingestion = {
  name: 'ingest',
  about:
    'ingestion of one long text and of many short documents, without the cost of embedding, compared with COPY of the same rows',

  async run({ databaseUrl, say }) {
    if (databaseUrl === undefined) return { skipped: 'COPY needs a database server: set DATABASE_URL' };
    const embeddings = await startFakeEmbeddings({ dimensions: DIMENSIONS });
    const home = await openHome(databaseUrl);
    const client = new pg.Client({ connectionString: home.databaseUrl });
    try {
      const service = await home.start(settingsFor(embeddings));
      await client.connect();
      await client.query(`create table copied_chunks (like chunks including all)`);
      const random = randomSource(1);
      const cases = [
        { name: 'one long text', make: () => [{ content: prose(random, LONG) }], service: [], copy: [] },
        {
          name: `${SHORT.count} short documents`,
          make: () => Array.from({ length: SHORT.count }, () => ({ content: prose(random, SHORT.length) })),
          service: [],
          copy: [],
        },
      ];
      await ingest(service, [{ content: prose(random, SHORT.length) }]); // warm-up
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const one of cases) {
          say(`round ${round + 1} of ${ROUNDS}: ${one.name}`);
          const { seconds, ids } = await ingest(service, one.make());
          const { chunks, copying } = await copyOf(client, ids);
          one.chunks = chunks;
          one.service.push(chunks / seconds);
          one.copy.push(chunks / copying);
        }
      }
      await service.stop();
      return {
        sizes: { rounds: ROUNDS, dimensions: DIMENSIONS },
        columns: ['documents', 'chunks', 'ingested chunks/s', 'copied chunks/s'],
        rows: cases.map(({ name, chunks, service: ours, copy }) => [
          name,
          chunks,
          percentile(ours, 50),
          percentile(copy, 50),
        ]),
        ratios: cases.map(({ name, service: ours, copy }) => {
          const ratio = percentile(copy, 50) / percentile(ours, 50);
          return `${name}: COPY of the same rows is ${ratio.toPrecision(2)} times as fast.`;
        }),
      };
    } finally {
      await client.end();
      await home.close();
      await embeddings.close();
    }
  },
};

/**
 * Copies the chunks of some documents into the twin table.
 * @returns the number of chunks, and the duration in seconds
 */
async function copyOf(client, ids) {
  const list = ids.map((id) => `'${id}'`).join(', ');
  const chunks = await copyOut(client, `select * from chunks where document_id in (${list})`);
  const begun = performance.now();
  await copyIn(client, 'copied_chunks', chunks);
  const copying = (performance.now() - begun) / 1000;
  const { rows } = await client.query(
    `select count(*)::integer as chunks from chunks where document_id in (${list})`,
  );
  return { chunks: rows[0].chunks, copying };
}
