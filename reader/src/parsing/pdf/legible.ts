/** Private use, control and replacement characters. White space is not counted. */
const UNREADABLE = /[\p{Co}\p{Cc}\ufffd]/gu;

/** Share of unreadable characters above which a page is recognised by its picture. */
const MAX_UNREADABLE = 0.3;

/** Share of glyphs without a character above which the text is doubtful. A library guesses a character for each of them. */
const MAX_UNMAPPED = 0.7;

/** Matches words that show whether a text is right. Shorter words occur in any text. */
const WORD = /[\p{L}\p{M}\p{N}]{3,}/gu;

/** Minimum share of the recognised words that a right text contains, and minimum number of words that prove it wrong. */
const MIN_SHARED = 0.3;
const MIN_WORDS = 3;

/** Whether the text layer of a page cannot be read, because its fonts map glyphs to no characters. */
export function isIllegible(text: string): boolean {
  const visible = text.replace(/[ \t\r\n\f\v]+/g, '');
  if (visible === '') return false;
  return (visible.match(UNREADABLE)?.length ?? 0) > MAX_UNREADABLE * visible.length;
}

/**
 * Whether the characters of a text layer may be wrong. They are right if the codes of the font are those of ASCII, or its
 * glyphs have names, as in many charts.
 *
 * @param unmapped share of glyphs without a character, 0 to 1
 */
export function isDoubtful(unmapped: number): boolean {
  return unmapped > MAX_UNMAPPED;
}

/** Whether a text layer is right: the picture of the page shows its words, shows others, or shows none that are certain. */
export type Comparison = 'right' | 'wrong' | 'unknown';

/** @param recognized words of the picture that are probably right */
export function compared(text: string, recognized: readonly string[], isDoubtful: boolean): Comparison {
  const seen = recognized.flatMap(wordsOf);
  const own = new Set(wordsOf(text));
  const shared = seen.filter((word) => own.has(word)).length;
  if (shared > 0 && shared >= MIN_SHARED * seen.length) return 'right';
  return isDoubtful || seen.length < MIN_WORDS ? 'unknown' : 'wrong';
}

function wordsOf(text: string): string[] {
  return text.normalize('NFKC').toLowerCase().match(WORD) ?? [];
}
