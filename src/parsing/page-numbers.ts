import type { Block } from './blocks.js';

/** Marks the number of a page in a header or footer. No character of XML. */
export const PAGE_NUMBER = '\u0001';

/** Letters of `Page 1 of 9`, and of the same in other languages. */
const MAX_LETTERS = 12;

/** The text of a header or footer without the numbers of pages, and the words that belong to them. */
export function withoutPageNumbers(block: Block): Block {
  const lines = block.text
    .split('\n')
    .filter((line) => !line.includes(PAGE_NUMBER) || (line.match(/\p{L}/gu)?.length ?? 0) > MAX_LETTERS);
  return { ...block, text: lines.join('\n').replaceAll(PAGE_NUMBER, '') };
}
