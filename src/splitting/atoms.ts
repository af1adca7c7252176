import { blocksOfCode, blocksOfProse, sentencesOf } from './blocks.js';
import { type Fits, fragmentsOf, type Span } from './cuts.js';
import type { SplitOptions, TokenCounter } from './piece.js';

/**
 * The unit from which pieces are packed: a sentence, table row, line of code, or a part of one; never only white space.
 */
export interface Atom extends Span {
  readonly tokens: number;
  /** Whether a page starts here. */
  readonly startsPage: boolean;
}

/**
 * White space and out-of-vocabulary words cost few or no tokens, so atoms and pieces are also limited in characters,
 * far above natural text (4 to 6 characters per token).
 */
export const CHARACTERS_PER_TOKEN = 16;

/** Maximum share of a piece per atom, as a divisor, to allow a choice of cuts. */
const ATOMS_PER_PIECE = 4;

/** Content types of source code and data. */
export const CODE =
  /^(?:text\/x-(?!rst)|text\/(?:javascript|css)|application\/(?:json|xml|javascript|.*\+(?:json|xml)))/;

/** Atoms of the text from `options.lead` on, in order; they tile it. */
export function* atomsOf(text: string, options: SplitOptions): Generator<Atom> {
  let open: Atom | undefined;
  let blank: Atom | undefined;
  for (const unit of unitsOf(text, options)) {
    if (isBlank(text, unit.start, unit.end)) {
      // White space is joined to the preceding atom, at the start to the following one.
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

/** Joins two neighbours. The token sum is approximate; pieces are counted exactly when they are made. */
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
      // A table row stays whole if a piece can hold it, because half a row is meaningless.
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

/** Measures text against a token limit and the corresponding character limit. */
function within(limit: number, counter: TokenCounter): Fits {
  return (content) => {
    if (content.trim().length > limit * CHARACTERS_PER_TOKEN) return null;
    const tokens = counter.count(content);
    return tokens <= limit ? tokens : null;
  };
}

/** The text after the lead, split at page starts. */
function* pageRanges(text: string, { lead = 0, pages = [] }: SplitOptions): Generator<[number, number]> {
  let from = lead;
  for (const { start } of pages) {
    if (start <= from || start >= text.length) continue;
    yield [from, start];
    from = start;
  }
  if (from < text.length) yield [from, text.length];
}
