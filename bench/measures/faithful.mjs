import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { DocumentReader, Readers } from '../../reader/dist/index.js';
import { extensionOf, hasSecondReader, secondReadings } from '../second-readers/second-readers.mjs';

const FOLDER = process.env.BENCH_FILES;
const PYTHON = process.env.BENCH_PYTHON;

/** Files with a lower recall are listed. */
const GOOD = 0.97;
const EXAMPLES = 12;

/** Matches a word, or a character in scripts without word separators. */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]|[\p{L}\p{M}\p{N}]+/gu;

/** Compares the text that the service extracts from real files with the text from other readers, by distinct words. */
export const faithful = {
  name: 'faithful',
  about:
    'text extraction from the files in BENCH_FILES: share of the words of LibreOffice, pdftotext and (with BENCH_PYTHON) Python libraries that Lectern has, and the reverse',

  async run({ say }) {
    if (FOLDER === undefined || !existsSync(FOLDER))
      return { skipped: 'BENCH_FILES names no folder of files' };
    const names = await readdir(FOLDER, { recursive: true });
    const paths = names
      .map((name) => join(FOLDER, name))
      .filter(hasSecondReader)
      .sort();
    const theirs = await secondReadings(paths, PYTHON, say);
    const ours = await readAll(paths, say);

    const files = paths.map((path) => compared(path, ours.get(path), theirs.get(path)));
    const both = files.filter(({ found }) => found !== undefined);
    for (const { path, found, known, lost, added } of both) {
      if (found >= GOOD && known >= GOOD) continue;
      say(`${relative(FOLDER, path)}: ${share(found)} found, ${share(known)} known`);
      if (found < GOOD) say(`  only in theirs: ${lost.slice(0, EXAMPLES).join(' ')}`);
      if (known < GOOD) say(`  only in ours: ${added.slice(0, EXAMPLES).join(' ')}`);
    }
    for (const { path, refusal } of files) if (refusal) say(`${relative(FOLDER, path)}: ${refusal}`);

    const formats = [...new Set(files.map(({ format }) => format))].sort();
    const row = (label, some) => {
      const compared = some.filter(({ found }) => found !== undefined);
      return [
        label,
        some.length,
        some.filter(({ refusal }) => refusal).length,
        compared.length,
        mean(compared.map(({ found }) => found)),
        mean(compared.map(({ known }) => known)),
        compared.filter(({ found }) => found < GOOD).length,
        compared.filter(({ known }) => known < GOOD).length,
      ];
    };
    return {
      sizes: { files: files.length, compared: both.length },
      columns: [
        'format',
        'files',
        'refused',
        'compared',
        'share of their words in ours',
        'share of our words in theirs',
        `files under ${GOOD}, theirs in ours`,
        `files under ${GOOD}, ours in theirs`,
      ],
      rows: [
        ...formats.map((format) =>
          row(
            format,
            files.filter((file) => file.format === format),
          ),
        ),
        row('all', files),
      ],
    };
  },
};

/** Parses files like the service. Returns a Map of path to `{ text }` or `{ refusal }`. */
async function readAll(paths, say) {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  const readings = new Map();
  try {
    for (const [index, path] of paths.entries()) {
      if (index % 50 === 0) say(`reading ${index} of ${paths.length}`);
      try {
        const { document } = await reader.read(await readFile(path), { filename: path });
        readings.set(path, { text: document.text.slice() });
      } catch (error) {
        readings.set(path, { refusal: error.message });
      }
    }
    return readings;
  } finally {
    await readers.close();
  }
}

/**
 * Recall and precision of the distinct words that the service has extracted. Recall is relative to the first other
 * reader that could read the file. A word counts as correct if any other reader has found it.
 */
function compared(path, { text, refusal }, theirs) {
  const format = extensionOf(path);
  if (text === undefined) return { path, format, refusal: theirs.length > 0 ? refusal : undefined };
  if (theirs.length === 0) return { path, format };
  const own = wordsOf(text);
  const seen = wordsOf(theirs[0]);
  const all = new Set(theirs.flatMap((each) => [...wordsOf(each)]));
  if (seen.size === 0 || own.size === 0) return { path, format };
  const lost = [...seen].filter((word) => !own.has(word));
  const added = [...own].filter((word) => !all.has(word));
  return {
    path,
    format,
    found: 1 - lost.length / seen.size,
    known: 1 - added.length / own.size,
    lost,
    added,
  };
}

/** Marks of superscripts and subscripts, which other readers do not write: `10^6`, `H_2O`, `x^(n+1)`. */
const MARKS = /(?<=\S)[\^_](?=\(|[+-]?[\p{L}\p{N}])/gu;

function wordsOf(text) {
  return new Set(
    text
      .replace(/\u00ad/g, '')
      .replace(MARKS, '')
      .normalize('NFKC')
      .toLowerCase()
      .match(WORD) ?? [],
  );
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

const share = (number) => number.toFixed(3);
