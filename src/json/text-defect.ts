/** Names the first defect that PostgreSQL text cannot store; undefined for storable text. */
export function textDefect(text: string): string | undefined {
  if (text.includes('\0')) return 'U+0000';
  if (!text.isWellFormed()) return 'a lone surrogate';
  return undefined;
}
