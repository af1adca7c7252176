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

const words = new Intl.Segmenter('en', { granularity: 'word' });
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Where one window of text can be cut at one level: behind line ends, before words, between graphemes... */
export interface Cuts {
  /** The last cut at or before `offset`; 0 when there is none. */
  before(offset: number): number;
  /** The first cut behind `offset`; the length of the text when there is none. */
  after(offset: number): number;
}

export interface CutLevel {
  readonly boundary: number;
  readonly cutsOf: (window: string) => Cuts;
}

/** From the best to the last resort. */
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

/** Segments between words (punctuation, symbols) after which a cut between two of them is as good as any. */
const MAX_BETWEEN_WORDS = 8;

/** Dictionaries know the words of scripts that are written without spaces. */
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
