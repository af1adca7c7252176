/**
 * Names the first character in a text that PostgreSQL cannot store. Returns undefined if PostgreSQL can store the text.
 */
export function textDefect(text: string): string | undefined {
  if (text.includes('\0')) return 'U+0000';
  if (!text.isWellFormed()) return 'a lone surrogate';
  return undefined;
}

/** Removes characters that PostgreSQL cannot store: U+0000, which models sometimes write, and lone surrogates. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
