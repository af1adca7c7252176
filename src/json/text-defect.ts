/** What PostgreSQL text cannot hold, in words; undefined when the text is fine. */
export function textDefect(text: string): string | undefined {
  if (text.includes('\0')) return 'U+0000';
  if (!text.isWellFormed()) return 'a lone surrogate';
  return undefined;
}
