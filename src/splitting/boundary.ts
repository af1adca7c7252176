/** How good a place is to cut a text; higher is better. Headings go from 5 (level 6) to 5.5 (level 1). */
export const Boundary = {
  heading: (level: number) => 5 + (6 - level) / 10,
  paragraph: 4,
  /** List item, table row. */
  item: 3,
  sentence: 2,
  line: 1,
  word: 0,
  grapheme: -1,
} as const;

/** From here on, what follows is a section of its own and repeats nothing of what was before. */
export const SECTION = Boundary.heading(6);

/** A part of a text that is not cut further, `[start, end)` with its trailing white space. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** How good a cut before this part is. */
  readonly boundary: number;
}
