import { readDataset } from '../dataset.mjs';
import { countChunks, ingest } from '../ingest.mjs';
import { openHome } from '../service.mjs';

const COLLECTION = 'scifact';
const SLICES = 6;
const DOCUMENTS = 80;

/** Two services, one with contexts and one without, take in the same documents slice by slice in turn. */
export const contextCost = {
  name: 'context-cost',
  about: 'documents and texts a second with and without the context of chunks, taking turns',

  async run({ databaseUrl, say }) {
    const collection = readDataset(COLLECTION);
    if (collection === undefined) return { skipped: `${COLLECTION} is not in ir of LECTERN_DATASETS` };
    const homes = [];
    try {
      const sides = [];
      for (const setting of ['off', 'on']) {
        const home = await openHome(databaseUrl);
        homes.push(home);
        sides.push({
          setting,
          service: await home.start({ CHUNK_CONTEXT: setting }),
          seconds: 0,
          documents: 0,
        });
      }
      for (let slice = 0; slice < SLICES; slice += 1) {
        say(`part ${slice + 1} of ${SLICES}`);
        const bodies = collection.documents
          .slice(slice * DOCUMENTS, (slice + 1) * DOCUMENTS)
          .map(({ id, text }) => ({ content: text, filename: `${id}.txt` }));
        // The side that goes first changes.
        for (const side of slice % 2 === 0 ? sides : sides.toReversed()) {
          side.seconds += (await ingest(side.service, bodies)).seconds;
          side.documents += bodies.length;
        }
      }
      const rows = [];
      for (const { setting, service, seconds, documents } of sides) {
        const chunks = await countChunks(service);
        rows.push([setting, documents / seconds, chunks / seconds, chunks]);
      }
      const [off, on] = rows;
      return {
        sizes: { documents: SLICES * DOCUMENTS },
        columns: ['contexts', 'documents/s', 'texts/s', 'chunks'],
        rows,
        ratios: [`with contexts ${Math.round((100 * on[1]) / off[1])}% of the documents a second`],
      };
    } finally {
      for (const home of homes) await home.close();
    }
  },
};
