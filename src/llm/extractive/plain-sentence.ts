import { cellsOf, LIST_MARK, type Sentence } from '../passages/sentences.js';

/** A sentence without list mark and emphasis; a table row as its cells. */
export function plainSentence(sentence: Sentence): string {
  const flat = sentence.text
    .replace(LIST_MARK, '')
    .replace(/(\*\*|__)(?=\S)(.*?\S)\1/g, '$2')
    .replace(/\s+/g, ' ');
  if (sentence.kind !== 'row') return flat;
  const cells = cellsOf(sentence.text).filter((cell) => cell !== '');
  return cells.length === 2 ? cells.join(': ') : cells.join(' | ');
}
