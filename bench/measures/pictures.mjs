import { Transformer } from '@napi-rs/image';
import { readPages } from '../dataset.mjs';
import { ingestFiles } from '../ingest.mjs';
import { randomSource } from '../random-source.mjs';
import { percentile } from '../report.mjs';
import { openHome } from '../service.mjs';

const TRIALS = Number(process.env.BENCH_QUERIES ?? 100);
const SCALE = 0.6;
/** Of width and height, taken off at the edges. */
const CROP = 0.1;
const QUALITY = 70;
/** Pictures of something else. */
const OTHERS = 5;

/** Pictures of pages of stored PDFs, smaller, cropped and compressed: do they find their page? */
export const pictures = {
  name: 'pictures',
  about: `pages of PDFs found by a picture of them at ${100 * SCALE}%, cropped by ${100 * CROP}%, as JPEG`,

  async run({ databaseUrl, say }) {
    const collection = readPages();
    if (collection === undefined) {
      return { skipped: 'no questions.jsonl with its PDFs in the folder pdf of LECTERN_DATASETS' };
    }
    const home = await openHome(databaseUrl);
    try {
      const service = await home.start();
      say(`ingesting ${collection.files.length} files with their pages`);
      await ingestFiles(service, collection, { use_colpali: 'true' });
      const places = await pagesOf(service);
      const random = randomSource(7);
      const drawn = Array.from({ length: TRIALS }, () => places[Math.floor(random() * places.length)]);
      const rows = [];
      let least = 1;
      for (const [name, change] of Object.entries(CHANGES)) {
        say(name);
        const outcome = { first: 0, ten: 0, scores: [], times: [] };
        for (const place of drawn) {
          const begun = performance.now();
          const found = await find(service, await change(await imageOf(service, place), random));
          outcome.times.push(performance.now() - begun);
          const rank = found.findIndex(
            ({ document_id: id, chunk_number: number }) => id === place.id && number === place.page - 1,
          );
          outcome.first += rank === 0 ? 1 : 0;
          outcome.ten += rank >= 0 ? 1 : 0;
          if (rank === 0) outcome.scores.push(found[0].score);
          else say(`  ${place.name}, page ${place.page}: rank ${rank + 1}`);
        }
        least = Math.min(least, ...outcome.scores);
        rows.push([
          name,
          outcome.first,
          outcome.ten,
          Math.min(...outcome.scores),
          percentile(outcome.scores, 50),
          percentile(outcome.times, 50),
        ]);
      }
      const others = [];
      for (let index = 0; index < OTHERS; index += 1) {
        others.push((await find(service, await landscape(random)))[0]?.score ?? 0);
      }
      return {
        sizes: { pages: places.length, trials: TRIALS },
        columns: ['picture', 'first', 'among ten', 'least score of a first', 'median', 'p50 ms'],
        rows,
        ratios: [
          `${OTHERS} pictures of something else score at most ${Math.max(...others).toFixed(3)}; the least score of a page that was found first is ${least.toFixed(3)}`,
        ],
      };
    } finally {
      await home.close();
    }
  },
};

const CHANGES = {
  'smaller, as JPEG': (png) => changed(png, 0, () => 0),
  'smaller, cropped, as JPEG': (png, random) => changed(png, CROP, random),
};

async function changed(png, crop, random) {
  const { width, height } = await new Transformer(png).metadata();
  const [w, h] = [width, height].map((side) => Math.round(side * (1 - crop)));
  const [x, y] = [width - w, height - h].map((room) => Math.floor(random() * room));
  return new Transformer(png)
    .crop(x, y, w, h)
    .fastResize({ width: Math.round(w * SCALE), height: Math.round(h * SCALE) })
    .jpeg(QUALITY);
}

/** Sky, hills and grass, with noise: no page of a report. */
async function landscape(random) {
  const [width, height] = [640, 480];
  const horizon = 0.4 + 0.3 * random();
  const wave = 3 + 5 * random();
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const hill = horizon + 0.1 * Math.sin((x / width) * wave);
      const colour =
        y / height < hill ? [120, 170, 230 - (y / height) * 60] : [60 + (x / width) * 80, 140, 50];
      const grain = (random() - 0.5) * 40;
      const at = (y * width + x) * 4;
      for (let c = 0; c < 3; c += 1) pixels[at + c] = Math.max(0, Math.min(255, colour[c] + grain));
      pixels[at + 3] = 255;
    }
  }
  return Transformer.fromRgbaPixels(pixels, width, height).jpeg(QUALITY);
}

async function pagesOf(service) {
  const { documents } = await service.call('/documents', { limit: 1_000 });
  return documents.flatMap(({ external_id: id, filename: name, system_metadata: { page_count: count } }) =>
    Array.from({ length: count }, (_, index) => ({ id, name, page: index + 1 })),
  );
}

async function imageOf(service, { id, page }) {
  const asked = { document_id: id, start_page: page, end_page: page };
  const { pages } = await service.call('/documents/pages', asked);
  return Buffer.from(pages[0].split(',')[1], 'base64');
}

function find(service, image) {
  return service.call('/retrieve/chunks', {
    query_image: image.toString('base64'),
    use_colpali: true,
    output_format: 'text',
    k: 10,
  });
}
