import { CODE_POINTS, type Cuts, GRAPHEMES, LINES, type Span, WORDS } from './cuts.js';

/** Tokens of a text; null when it is too large. */
export type Fits = (text: string) => number | null;

export interface Room {
  /** Small enough to stay in one part. */
  readonly part: Fits;
  /** Small enough for a whole piece. */
  readonly piece: Fits;
}

export interface Fragment extends Span {
  readonly tokens: number;
}

/** How a text that is too large is cut; `room` says what too large is at this level. */
const LEVELS = [
  { level: LINES, room: 'part' },
  { level: WORDS, room: 'part' },
  { level: GRAPHEMES, room: 'part' },
  { level: CODE_POINTS, room: 'piece' },
] as const;

/**
 * Cuts a span that is too large into parts that fit and tile it: at line ends; lines that are still too large at
 * words, words at graphemes, and a grapheme cluster that no piece could hold at code points.
 */
export function* fragmentsOf(text: string, span: Span, room: Room, depth = 0): Generator<Fragment> {
  const content = text.slice(span.start, span.end);
  const rule = LEVELS[depth];
  const tokens = room[rule?.room ?? 'piece'](content);
  if (tokens !== null || rule === undefined) {
    yield { ...span, tokens: tokens ?? 0 };
    return;
  }
  let { boundary } = span;
  for (const [from, to] of partsThatFit(content, rule.level.cutsOf(content), room.part)) {
    const part = { start: span.start + from, end: span.start + to, boundary };
    yield* fragmentsOf(text, part, room, depth + 1);
    boundary = rule.level.boundary;
  }
}

/** Reach in UTF-16 code units from which the search for the largest part starts. */
const FIRST_REACH = 64;

/**
 * Parts as large as they may be, give or take a half, in few measurements: the reach doubles after a part that fits
 * and halves until one does, so that the whole is measured in time proportional to its length. A unit that does not
 * fit alone is a part too.
 */
function* partsThatFit(text: string, cuts: Cuts, fits: Fits): Generator<readonly [number, number]> {
  let reach = FIRST_REACH;
  for (let from = 0; from < text.length;) {
    let to = cuts.before(Math.min(from + reach, text.length));
    while (to > from && fits(text.slice(from, to)) === null) {
      reach = Math.max(1, Math.floor((to - from) / 2));
      to = cuts.before(from + reach);
    }
    if (to <= from) to = cuts.after(from);
    yield [from, to];
    from = to;
    reach *= 2;
  }
}
