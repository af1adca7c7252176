/** Quality of a cut; higher is better. Headings range from 5 (level 6) to 5.5 (level 1). */
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

/** A cut of at least this quality starts a section, whose first piece has no overlap. */
export const SECTION = Boundary.heading(6);

/** An indivisible part of a text, `[start, end)` with its trailing white space. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Quality of a cut before this part. */
  readonly boundary: number;
}

const words = new Intl.Segmenter('en', { granularity: 'word' });
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Possible cuts in a window of text at one level: after line ends, before words, between graphemes... */
export interface Cuts {
  /** The last cut at or before `offset`; 0 if there is no such cut. */
  before(offset: number): number;
  /** The first cut after `offset`; the length of the text if there is no such cut. */
  after(offset: number): number;
}

export interface CutLevel {
  readonly boundary: number;
  readonly cutsOf: (window: string) => Cuts;
}

/** Cut levels from best to last resort. */
export const LINES: CutLevel = { boundary: Boundary.line, cutsOf: lineCuts };
export const WORDS: CutLevel = { boundary: Boundary.word, cutsOf: wordCuts };
export const GRAPHEMES: CutLevel = { boundary: Boundary.grapheme, cutsOf: graphemeCuts };
export const CODE_POINTS: CutLevel = { boundary: Boundary.grapheme, cutsOf: codePointCuts };

function lineCuts(text: string): Cuts {
  return {
    before: (offset) => (offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1),
    after: (offset) => {
      const newline = text.indexOf('\n', offset);
      return newline === -1 ? text.length : newline + 1;
    },
  };
}

/**
 * Maximum number of consecutive segments that are not words (punctuation, symbols). After them, any cut between
 * segments is accepted.
 */
const MAX_BETWEEN_WORDS = 8;

/** Cuts before words. Intl.Segmenter finds the words of scripts without spaces with dictionaries. */
function wordCuts(text: string): Cuts {
  const segments = words.segment(text);
  return {
    before(offset) {
      let at = Math.min(offset, text.length - 1);
      for (let passed = 0; at >= 0; passed += 1) {
        const segment = segments.containing(at);
        if (segment === undefined || segment.index === 0) return 0;
        if (segment.isWordLike === true || passed > MAX_BETWEEN_WORDS) return segment.index;
        at = segment.index - 1;
      }
      return 0;
    },
    after(offset) {
      let at = offset;
      for (let passed = 0; ; passed += 1) {
        const segment = segments.containing(at);
        if (segment === undefined) return text.length;
        const isCut = segment.isWordLike === true || passed > MAX_BETWEEN_WORDS;
        if (isCut && segment.index > offset) return segment.index;
        at = segment.index + segment.segment.length;
      }
    },
  };
}

function graphemeCuts(text: string): Cuts {
  const segments = graphemes.segment(text);
  return {
    before: (offset) => (offset >= text.length ? text.length : (segments.containing(offset)?.index ?? 0)),
    after(offset) {
      const segment = segments.containing(offset);
      return segment === undefined ? text.length : segment.index + segment.segment.length;
    },
  };
}

function codePointCuts(text: string): Cuts {
  const cutsPair = (offset: number): boolean => (text.codePointAt(offset - 1) ?? 0) > 0xffff;
  return {
    before: (offset) => (cutsPair(offset) ? offset - 1 : offset),
    after: (offset) => (cutsPair(offset + 1) ? offset + 2 : offset + 1),
  };
}

/** Token count of a text; null if the text exceeds the limit. */
export type Fits = (text: string) => number | null;

export interface Room {
  readonly part: Fits;
  readonly piece: Fits;
}

export interface Fragment extends Span {
  readonly tokens: number;
}

/** Cut levels and their limits. */
const LEVELS = [
  { level: LINES, room: 'part' },
  { level: WORDS, room: 'part' },
  { level: GRAPHEMES, room: 'part' },
  { level: CODE_POINTS, room: 'piece' },
] as const;

/**
 * Cuts an oversized span at line ends into parts that fit. Longer lines are cut at words, longer words at graphemes,
 * longer graphemes at code points. The parts tile the span.
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

/** Initial reach of the search for the largest part, in UTF-16 code units. */
const FIRST_REACH = 64;

/**
 * Yields parts within a factor of two of the maximum size, with few measurements: the reach halves until a part fits,
 * and doubles after every part that fits. The total time is linear in the length. A single unit that does not fit is
 * also yielded as a part; the next level cuts it.
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
