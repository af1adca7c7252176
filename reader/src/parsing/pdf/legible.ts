/** Private use, control and replacement characters. White space is not counted. */
const UNREADABLE = /[\p{Co}\p{Cc}\ufffd]/gu;

/** Minimum share of unreadable characters of a page that is recognised by its picture. */
const MAX_UNREADABLE = 0.3;

/** Minimum share of glyphs without a character. A library guesses a character for each of them. */
const MAX_UNMAPPED = 0.7;

/**
 * Whether the text layer of a page cannot be read, because its fonts map glyphs to no characters.
 *
 * @param unmapped share of glyphs without a character, 0 to 1
 */
export function isIllegible(text: string, unmapped: number): boolean {
  const visible = text.replace(/[ \t\r\n\f\v]+/g, '');
  if (visible === '') return false;
  const unreadable = visible.match(UNREADABLE)?.length ?? 0;
  return unreadable > MAX_UNREADABLE * visible.length || unmapped > MAX_UNMAPPED;
}
