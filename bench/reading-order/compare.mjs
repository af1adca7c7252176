/**
 * Compares the text that a reader extracts with the truth. The truth is a list of blocks in reading order: `{ text }`
 * for a paragraph, `{ cells }` for a row of a table.
 */

/** Minimum number of words of a paragraph whose longest run is searched. */
const MIN_WORDS = 8;
const RUN = 3;

/** Matches a word, or a character in scripts without word separators. */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]|[\p{L}\p{M}\p{N}]+/gu;

/**
 * @returns counts `[found, all]`:
 *   - `words`: distinct words of the truth
 *   - `order`: runs of three words of the truth, if the text has these words; found: one after another
 *   - `longest`: words of the paragraphs of eight words and more; found: in the longest run that the text has too
 *   - `rows`: rows with two cells and more; found: all cells on one line, in order
 */
export function compare(blocks, text) {
  const truth = blocks.map(({ text: own, cells }) => wordsOf(own ?? cells.join(' ')));
  const all = truth.flat();
  const ours = wordsOf(text);
  const known = new Set(ours);
  const distinct = new Set(all);
  const places = placesOf(ours);
  const runs = new Set(runsOf(ours));
  const possible = runsOf(all).filter((run) => run.split(' ').every((word) => known.has(word)));
  const paragraphs = truth.filter((words, index) => blocks[index].text && words.length >= MIN_WORDS);
  const lines = text.split('\n').map((line) => ` ${wordsOf(line).join(' ')} `);
  const rows = blocks.flatMap(({ cells = [] }) => {
    const filled = cells.map((cell) => wordsOf(cell).join(' ')).filter((cell) => cell !== '');
    return filled.length > 1 ? [filled] : [];
  });
  return {
    words: [[...distinct].filter((word) => known.has(word)).length, distinct.size],
    order: [possible.filter((run) => runs.has(run)).length, possible.length],
    longest: [sum(paragraphs.map((words) => longestRun(words, ours, places))), paragraphs.flat().length],
    rows: [rows.filter((cells) => lines.some((line) => isInOrder(line, cells))).length, rows.length],
    missing: rows.filter((cells) => !lines.some((line) => isInOrder(line, cells))),
  };
}

export function wordsOf(text) {
  return text.replaceAll('\u00ad', '').normalize('NFKC').toLowerCase().match(WORD) ?? [];
}

function runsOf(words) {
  return words.slice(RUN - 1).map((_, index) => words.slice(index, index + RUN).join(' '));
}

function placesOf(words) {
  const places = new Map();
  for (const [index, word] of words.entries()) {
    if (!places.has(word)) places.set(word, []);
    places.get(word).push(index);
  }
  return places;
}

/** Length of the longest run of words that both texts have. */
function longestRun(words, others, places) {
  let longest = 0;
  let before = new Map();
  for (const word of words) {
    const lengths = new Map();
    for (const at of places.get(word) ?? []) {
      const length = (before.get(at - 1) ?? 0) + 1;
      lengths.set(at, length);
      if (length > longest) longest = length;
    }
    before = lengths;
  }
  return longest;
}

function isInOrder(line, cells) {
  let from = 0;
  for (const cell of cells) {
    const at = line.indexOf(` ${cell} `, from);
    if (at === -1) return false;
    from = at + cell.length + 1;
  }
  return true;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
