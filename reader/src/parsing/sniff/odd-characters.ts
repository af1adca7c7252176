const REPLACEMENT = '\ufffd';
const ESCAPE = '\u001b';
const NEXT_LINE = '\u0085';

/**
 * Counts unassigned characters, private-use characters, and control characters except white space and the escapes of
 * terminal colours.
 */
export function countOddCharacters(text: string): number {
  const suspects = text.match(/[\p{Cc}\p{Cn}\p{Co}]/gu) ?? [];
  return suspects.filter((c) => !/\s/.test(c) && c !== ESCAPE && c !== NEXT_LINE).length;
}

export function countReplaced(text: string): number {
  let count = 0;
  for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, at + 1)) count += 1;
  return count;
}
