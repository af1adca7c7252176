import { blocksOfCode, blocksOfProse, sentencesOf } from './blocks.js';
import { type Fits, fragmentsOf, type Span } from './cuts.js';
import type { SplitOptions, TokenCounter } from './piece.js';

/** What pieces are packed from: a sentence, row, line of code, or part of one, never white space alone. */
export interface Atom extends Span {
  readonly tokens: number;
  /** Starts a page. */
  readonly startsPage: boolean;
}

/**
 * White space and words that no vocabulary knows cost few tokens or none: an atom and a piece are bounded in
 * characters too, far above what a natural text takes (four to six for a token).
 */
export const CHARACTERS_PER_TOKEN = 16;

/** Parts of a piece that an atom may fill, so that there is a choice of cuts. */
const ATOMS_PER_PIECE = 4;

/** Types of text that is source code or data, not prose. */
export const CODE =
  /^(?:text\/x-(?!rst)|text\/(?:javascript|css)|application\/(?:json|xml|javascript|.*\+(?:json|xml)))/;

/** Atoms of the text from `options.lead` on, in order; they tile it. */
export function* atomsOf(text: string, options: SplitOptions): Generator<Atom> {
  let open: Atom | undefined;
  let blank: Atom | undefined;
  for (const unit of unitsOf(text, options)) {
    if (isBlank(text, unit.start, unit.end)) {
      // White space belongs to what stands before it; at the very start there is only what follows.
      if (open === undefined) blank = blank === undefined ? unit : joined(blank, unit);
      else open = joined(open, unit);
      continue;
    }
    if (open !== undefined) yield open;
    open = blank === undefined ? unit : { ...joined(blank, unit), boundary: unit.boundary };
    blank = undefined;
  }
  if (open !== undefined) yield open;
}

/** Two neighbours as one. Tokens may not add up quite; what a piece has is counted when it is made. */
function joined(a: Atom, b: Atom): Atom {
  return { ...a, end: b.end, tokens: a.tokens + b.tokens };
}

function isBlank(text: string, start: number, end: number): boolean {
  return !/\S/.test(text.slice(start, end));
}

function* unitsOf(text: string, options: SplitOptions): Generator<Atom> {
  const blocksOf = CODE.test(options.contentType ?? '') ? blocksOfCode : blocksOfProse;
  const piece = within(options.size, options.counter);
  const part = within(Math.max(1, Math.floor(options.size / ATOMS_PER_PIECE)), options.counter);
  for (const [from, to] of pageRanges(text, options)) {
    let startsPage = from > (options.lead ?? 0);
    for (const block of blocksOf(text, from, to)) {
      // Half a row of a table says nothing: it stays whole as long as a piece can hold it.
      const isRow = block.kind === 'piped-row' || block.kind === 'spaced-row';
      const room = { part: isRow ? piece : part, piece };
      for (const sentence of sentencesOf(text, block)) {
        for (const fragment of fragmentsOf(text, sentence, room)) {
          yield { ...fragment, startsPage };
          startsPage &&= isBlank(text, fragment.start, fragment.end);
        }
      }
    }
  }
}

/** Measures a text against a limit in tokens, and in the characters that so many tokens may have. */
function within(limit: number, counter: TokenCounter): Fits {
  return (content) => {
    if (content.trim().length > limit * CHARACTERS_PER_TOKEN) return null;
    const tokens = counter.count(content);
    return tokens <= limit ? tokens : null;
  };
}

/** The text behind the lead, cut where pages start. */
function* pageRanges(text: string, { lead = 0, pages = [] }: SplitOptions): Generator<[number, number]> {
  let from = lead;
  for (const { start } of pages) {
    if (start <= from || start >= text.length) continue;
    yield [from, start];
    from = start;
  }
  if (from < text.length) yield [from, text.length];
}
