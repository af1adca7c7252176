import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Transformer } from '@napi-rs/image';
import pg from 'pg';
import { recall, reciprocalRank } from '../../dist/cli/evaluation.js';
import { ingestBytes } from '../ingest.mjs';
import { openHome } from '../service.mjs';

const FOLDER = process.env.BENCH_FILES;
const QUESTIONS = Number(process.env.BENCH_QUERIES ?? 60);
const K = 10;

/** Alterations of the picture of a page, such as users make before they use the picture as a question. */
const ALTERATIONS = {
  'thumbnail of 25%, JPEG': async (png, { width, height }) =>
    new Transformer(png).resize(Math.ceil(width / 4), Math.ceil(height / 4)).jpeg(60),
  'copy of 60%, JPEG': async (png, { width, height }) =>
    new Transformer(png).resize(Math.ceil(width * 0.6), Math.ceil(height * 0.6)).jpeg(60),
  'margins of 7% trimmed': (png, size) => cut(png, size, 0.07, 0.07, 0.86, 0.86),
  'upper half': (png, size) => cut(png, size, 0, 0, 1, 0.5),
  'part of 60% x 35%': (png, size) => cut(png, size, 0.2, 0.3, 0.6, 0.35),
  'grey, brighter, blurred': async (png) => new Transformer(png).grayscale().brighten(25).blur(1).jpeg(70),
  'inverted colours': async (png) => new Transformer(png).invert().png(),
};

/** Measures retrieval with altered pictures of pages as questions, with and without the fingerprints of the pages. */
export const imageQuestions = {
  name: 'image-questions',
  about: `recall@1 and MRR@${K} of altered pictures of pages of the PDFs in BENCH_FILES, without a page model, with and without fingerprints`,

  async run({ databaseUrl, say }) {
    if (FOLDER === undefined) return { skipped: 'BENCH_FILES names no folder of PDFs' };
    if (databaseUrl === undefined) return { skipped: 'it needs DATABASE_URL' };
    const home = await openHome(databaseUrl);
    try {
      const service = await home.start();
      const files = readdirSync(FOLDER).filter((name) => name.endsWith('.pdf'));
      await ingestBytes(
        service,
        files.map((name) => [name, readFileSync(join(FOLDER, name))]),
        { use_colpali: 'true' },
      );
      const pages = await drawnPages(home, service);
      say(`${pages.length} pages of ${files.length} files`);
      const questions = spread(pages, QUESTIONS);
      const both = await evaluate(service, questions, say);
      await query(home, 'update pages set fingerprint = null');
      const text = await evaluate(service, questions, say);
      return {
        sizes: { pages: pages.length, 'pages asked for': questions.length },
        columns: [
          'alteration',
          'without fingerprints, recall@1',
          'MRR',
          'with fingerprints, recall@1',
          'MRR',
        ],
        rows: Object.keys(ALTERATIONS).map((name) => [name, ...text.get(name), ...both.get(name)]),
      };
    } finally {
      await home.close();
    }
  },
};

/** @returns recall@1 and MRR by alteration */
async function evaluate(service, questions, say) {
  const scores = new Map();
  for (const [name, alter] of Object.entries(ALTERATIONS)) {
    say(name);
    let [first, reciprocal] = [0, 0];
    for (const { png, size, file, page } of questions) {
      const image = (await alter(png, size)).toString('base64');
      const found = await service.call('/retrieve/chunks', { query_image: image, use_colpali: true, k: K });
      const ranking = found.map(({ filename, metadata }) => `${filename}/${metadata.page_number}`);
      const grades = new Map([[`${file}/${page}`, 1]]);
      first += recall(ranking, grades, 1);
      reciprocal += reciprocalRank(ranking, grades);
    }
    scores.set(name, [first / questions.length, reciprocal / questions.length]);
  }
  return scores;
}

/**
 * The stored pages with their pictures. Of several pages with identical pictures, keeps only the first page, because a
 * search cannot tell them apart.
 */
async function drawnPages(home, service) {
  const rows = await query(
    home,
    `select d.external_id as id, d.filename, p.page_number as page
     from pages p join documents d on d.external_id = p.document_id order by d.filename, p.page_number`,
  );
  const headers = { Authorization: `Bearer ${service.key}` };
  const pages = new Map();
  for (const { id, filename: file, page } of rows) {
    const answer = await fetch(`${service.base}/documents/${id}/pages/${page}/image`, { headers });
    if (!answer.ok) throw new Error(`page ${page} of ${file} was answered ${answer.status}`);
    const png = Buffer.from(await answer.arrayBuffer());
    const sum = createHash('sha256').update(png).digest('hex');
    if (pages.has(sum)) continue;
    const { width, height } = await new Transformer(png).metadata();
    pages.set(sum, { png, size: { width, height }, file, page });
  }
  return [...pages.values()];
}

/** Returns `count` members at equal distances in the list. */
function spread(members, count) {
  if (members.length <= count) return members;
  return Array.from({ length: count }, (_, at) => members[Math.floor((at * members.length) / count)]);
}

async function cut(png, { width, height }, x, y, w, h) {
  return new Transformer(png)
    .crop(Math.round(x * width), Math.round(y * height), Math.round(w * width), Math.round(h * height))
    .png();
}

async function query({ databaseUrl }, statement) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}
