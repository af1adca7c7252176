import type { Block } from './blocks.js';

/** Marks a page number in a header or footer; not a valid XML character. */
export const PAGE_NUMBER = '\u0001';

/** Maximum number of letters of phrases such as `Page 1 of 9`. */
const MAX_LETTERS = 12;

/** Removes page numbers and their words from a header or footer. */
export function withoutPageNumbers(block: Block): Block {
  const lines = block.text
    .split('\n')
    .filter((line) => !line.includes(PAGE_NUMBER) || (line.match(/\p{L}/gu)?.length ?? 0) > MAX_LETTERS);
  return { ...block, text: lines.join('\n').replaceAll(PAGE_NUMBER, '') };
}
