const MAX_LENGTH = 80;

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Title of a new chat: its first question on one line, cut after 80 characters. It stays; only renaming changes it. */
export function titleOf(question: string): string {
  const line = question
    .slice(0, MAX_LENGTH * 20)
    .replace(/\s+/g, ' ')
    .trim();
  const shown = Array.from(characters.segment(line), ({ segment }) => segment);
  return shown.length <= MAX_LENGTH
    ? line
    : `${shown
        .slice(0, MAX_LENGTH - 1)
        .join('')
        .trimEnd()}…`;
}
