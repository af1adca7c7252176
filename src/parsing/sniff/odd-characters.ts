const REPLACEMENT = '\ufffd';
const ESCAPE = '\u001b';
const NEXT_LINE = '\u0085';

/**
 * How many characters a text has no use for: unassigned ones, those of private use, and control characters, but for white
 * space and the escapes that colour a terminal.
 */
export function countOddCharacters(text: string): number {
  const suspects = text.match(/[\p{Cc}\p{Cn}\p{Co}]/gu) ?? [];
  return suspects.filter((c) => !/\s/.test(c) && c !== ESCAPE && c !== NEXT_LINE).length;
}

/** How many sequences of bytes a decoder could make nothing of. */
export function countReplaced(text: string): number {
  let count = 0;
  for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, at + 1)) count += 1;
  return count;
}
