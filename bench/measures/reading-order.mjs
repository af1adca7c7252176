import { findChromium, NO_CHROMIUM } from '../chromium.mjs';
import { processorSeconds, processTree } from '../processor-time.mjs';
import { compare } from '../reading-order/compare.mjs';
import { doclingFiles } from '../reading-order/docling.mjs';
import { KEPT_APART, LAYOUTS } from '../reading-order/layouts.mjs';
import { printPages } from '../reading-order/print.mjs';
import { readPdfs } from '../second-readers/pdf-readers.mjs';
import { DocumentReader, Readers } from '../../reader/dist/index.js';

const DOCLING = process.env.BENCH_DOCLING;
const PYTHON = process.env.BENCH_PYTHON;

/** Files of each generated layout. Together, they have a little more than a hundred pages, and forty kept apart. */
const EACH = Number(process.env.BENCH_EACH ?? 5);
const SEED = Number(process.env.BENCH_SEED ?? 1);

const MEASURES = ['words', 'order', 'longest'];

/** Compares the text of PDFs with the truth, for Lectern and the other readers that are installed. */
export const readingOrder = {
  name: 'reading-order',
  about:
    'reading order of PDFs: pages that Chromium prints from generated HTML, and the files of docling (BENCH_DOCLING, a checkout), beside pdftotext and (with BENCH_PYTHON) Python libraries',

  async run({ say }) {
    const sets = await fileSets(say);
    if (sets.length === 0)
      return { skipped: `${NO_CHROMIUM}; and BENCH_DOCLING names no checkout of docling` };
    const rows = [];
    for (const { label, files } of sets) {
      const ours = await readAll(files);
      rows.push([label, 'Lectern', ...scores(files, ours.texts, say), (ours.seconds * 1_000) / ours.pages]);
      for (const [reader, texts] of await readPdfs(files, PYTHON, say)) {
        rows.push([label, reader, ...scores(files, texts), '']);
      }
    }
    return {
      sizes: Object.fromEntries(sets.map(({ label, files }) => [label, `${files.length} files`])),
      columns: [
        'files',
        'reader',
        'words found',
        'order of three words',
        'longest run',
        'table rows on one line',
        'ms a page',
      ],
      rows,
    };
  },
};

async function fileSets(say) {
  const sets = [];
  const executablePath = findChromium();
  if (executablePath === undefined) say(`no generated pages: ${NO_CHROMIUM}`);
  else {
    say('printing generated pages');
    sets.push(
      {
        label: 'generated',
        files: await printPages({ executablePath, layouts: LAYOUTS, each: EACH, seed: SEED }),
      },
      {
        label: 'generated, kept apart',
        files: await printPages({ executablePath, layouts: KEPT_APART, each: EACH, seed: SEED }),
      },
    );
  }
  if (DOCLING === undefined) say('no files of docling: BENCH_DOCLING names no checkout');
  else sets.push({ label: 'docling', files: doclingFiles(DOCLING) });
  return sets;
}

/** Reads files like the service. The processor time is that of a second reading, when all code is loaded. */
async function readAll(files) {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  const texts = new Map();
  let pages = 0;
  const readEach = async () => {
    for (const { name, bytes } of files) {
      const { document } = await reader.read(bytes, { filename: `${name}.pdf` });
      texts.set(name, document.text.slice());
      pages += document.pageCount;
    }
  };
  try {
    await readEach();
    pages = 0;
    const own = processTree(process.pid);
    const before = processorSeconds(own);
    await readEach();
    return { texts, pages, seconds: processorSeconds(own) - before };
  } finally {
    await readers.close();
  }
}

/** Averages over the files; rows are counted over all files. */
function scores(files, texts, say) {
  const each = files.map(({ name, blocks }) => ({ name, ...compare(blocks, texts.get(name) ?? '') }));
  for (const { name, missing } of each) {
    if (missing.length > 0)
      say?.(`${name}: ${missing.length} rows on several lines, such as ${missing[0].join(' | ')}`);
  }
  const [found, all] = each.reduce(([sum, total], { rows }) => [sum + rows[0], total + rows[1]], [0, 0]);
  return [
    ...MEASURES.map((measure) => mean(each.map((one) => one[measure]).filter(([, count]) => count > 0))),
    `${found} of ${all}`,
  ];
}

function mean(shares) {
  return shares.reduce((sum, [found, all]) => sum + found / all, 0) / shares.length;
}
