/** With the u flag a surrogate pair is one character, so that only halves match. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** What PostgreSQL text cannot hold, in words; undefined when the text is fine. */
export function textDefect(text: string): string | undefined {
  if (text.includes('\0')) return 'U+0000';
  if (LONE_SURROGATE.test(text)) return 'a lone surrogate';
  return undefined;
}
