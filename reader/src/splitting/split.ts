import { Boundary, type Fits, fragmentsOf, SECTION, type Span } from './cuts.js';
import type { PageSpan, Piece, SplitOptions, TokenCounter } from './piece.js';
import { blocksOfCode, blocksOfProse, CODE, sentencesOf } from './blocks.js';

/** Minimum share of the budget that a piece fills before a cut. */
const MIN_FILL = 0.5;

/**
 * Minimum number of waiting tokens before a cut, as a multiple of the piece size. This minimum prevents a tiny piece at
 * the end of a page.
 */
const LOOKAHEAD = 1.5;
const MIN_REST = 0.25;

/**
 * Splits a text into pieces of at most `size` tokens, in linear time. Bodies tile the text from `options.lead` on. A
 * piece repeats whole sentences of the previous piece, up to `overlap` tokens, unless it starts a section. A body never
 * spans pages. No piece consists of white space only, so a blank text has no pieces.
 */
export function split(text: string, options: SplitOptions): Piece[] {
  return [...piecesOf(text, options)];
}

/** {@link split} as a generator. */
export function* piecesOf(text: string, options: SplitOptions): Generator<Piece> {
  const packer = new Packer(text, options);
  for (const atom of atomsOf(text, options)) {
    if (atom.startsPage) yield* packer.finish();
    packer.add(atom);
    yield* packer.full();
  }
  yield* packer.finish();
}

class Packer {
  private waiting: Atom[] = [];
  private waitingTokens = 0;
  /** Atoms of the previous piece, the source of the overlap. */
  private before: readonly Atom[];
  private readonly pages: PageFinder;
  private readonly maxCharacters: number;

  constructor(
    private readonly text: string,
    private readonly options: SplitOptions,
  ) {
    this.pages = new PageFinder(options.pages ?? []);
    this.maxCharacters = options.size * CHARACTERS_PER_TOKEN;
    this.before = [...atomsOf(text.slice(0, options.lead ?? 0), { ...options, lead: 0 })];
  }

  add(atom: Atom): void {
    this.waiting.push(atom);
    this.waitingTokens += atom.tokens;
  }

  /** Yields pieces as long as the waiting atoms are enough to choose a good cut. */
  *full(): Generator<Piece> {
    while (
      this.waitingTokens > this.options.size * LOOKAHEAD ||
      this.isTooLong(this.waiting.length, LOOKAHEAD)
    ) {
      yield this.cut();
    }
  }

  /** Yields the remaining atoms as pieces; the following text starts a new piece. */
  *finish(): Generator<Piece> {
    while (this.waiting.length > 0) yield this.cut();
  }

  private cut(): Piece {
    const reserved = this.overlapWithin(this.options.overlap).tokens;
    let count = this.bestCut(this.options.size - reserved);
    for (;;) {
      const piece = this.assemble(count);
      if (piece !== undefined) {
        this.before = this.waiting.slice(0, count);
        this.waiting = this.waiting.slice(count);
        this.waitingTokens = this.waiting.reduce((sum, { tokens }) => sum + tokens, 0);
        return piece;
      }
      count -= 1;
    }
  }

  /**
   * Returns the number of waiting atoms before the best boundary within the budget. These atoms form the next body. If
   * several boundaries are equally good, the last boundary is used.
   */
  private bestCut(room: number): number {
    const { waiting } = this;
    let tokens = 0;
    let best = 1;
    let bestBoundary = -Infinity;
    for (const [index, atom] of waiting.entries()) {
      if (index > 0) {
        const rest = this.waitingTokens - tokens;
        const eligible = tokens >= room * MIN_FILL && rest >= room * MIN_REST;
        const boundary = eligible ? atom.boundary : -Infinity;
        if (boundary >= bestBoundary) [best, bestBoundary] = [index, boundary];
      }
      tokens += atom.tokens;
      if (index > 0 && (tokens > room || this.isTooLong(index + 1))) return best;
    }
    return waiting.length;
  }

  private isTooLong(count: number, times = 1): boolean {
    const [first, last] = [this.waiting[0], this.waiting[count - 1]];
    if (first === undefined || last === undefined) return false;
    return last.start - first.start > this.maxCharacters * times;
  }

  /**
   * Builds the piece of the first `count` waiting atoms. Returns undefined if it exceeds the budget and can be
   * shortened.
   */
  private assemble(count: number): Piece | undefined {
    const [first, last] = [this.waiting[0], this.waiting[count - 1]];
    if (first === undefined || last === undefined) throw new RangeError('a piece needs at least one atom');
    const bodyTokens = this.waiting.slice(0, count).reduce((sum, { tokens }) => sum + tokens, 0);
    // The overlap must not be longer than half of the body.
    const { start } = this.overlapWithin(Math.min(this.options.overlap, Math.floor(bodyTokens / 2)));
    const tokens = this.count(start, last.end);
    if (tokens <= this.options.size) return this.piece(start, first.start, last.end, tokens);
    if (count > 1) return undefined;
    return this.piece(first.start, first.start, last.end, this.count(first.start, last.end));
  }

  private piece(start: number, bodyStart: number, end: number, tokens: number): Piece {
    // White space before the first word may belong to a blank page.
    const firstWord = bodyStart + this.text.slice(bodyStart, end).search(/\S/);
    return { start, end, bodyStart, pageNumber: this.pages.pageOf(firstWord), tokens };
  }

  private count(start: number, end: number): number {
    return this.options.counter.count(this.text.slice(start, end));
  }

  /**
   * Finds the start of the next overlap: the earliest sentence of the previous piece from which at most `most` tokens
   * follow. After a cut inside a sentence, the earliest boundary of the same quality is used
   * instead.
   */
  private overlapWithin(most: number): { start: number; tokens: number } {
    const first = this.waiting[0];
    const bodyStart = first?.start ?? 0;
    let found = { start: bodyStart, tokens: 0 };
    if (first === undefined || first.boundary >= SECTION) return found;
    let tokens = 0;
    for (const atom of this.before.toReversed()) {
      tokens += atom.tokens;
      if (tokens > most || bodyStart - atom.start > most * CHARACTERS_PER_TOKEN) break;
      if (atom.boundary >= Math.min(first.boundary, Boundary.sentence)) found = { start: atom.start, tokens };
    }
    return found;
  }
}

/** Maps ascending offsets to pages in one pass. */
class PageFinder {
  private next = 0;

  constructor(private readonly pages: readonly PageSpan[]) {}

  /** 1-based number of the last page that starts at or before `offset`; null if the text has no pages. */
  pageOf(offset: number): number | null {
    for (let page = this.pages[this.next]; page !== undefined && page.start <= offset;) {
      this.next += 1;
      page = this.pages[this.next];
    }
    return (this.pages[this.next - 1] ?? this.pages[0])?.pageNumber ?? null;
  }
}

/**
 * The unit from which pieces are packed: a sentence, table row, line of code, or a part of these. An atom never
 * consists of white space only.
 */
export interface Atom extends Span {
  readonly tokens: number;
  /** Whether a page starts here. */
  readonly startsPage: boolean;
}

/**
 * Limits atoms and pieces in characters, because white space and out-of-vocabulary words have few or no tokens. Natural
 * text has 4 to 6 characters per token.
 */
export const CHARACTERS_PER_TOKEN = 16;

/**
 * The maximum size of an atom is the piece size divided by this number. Several atoms per piece give a choice of cuts.
 */
const ATOMS_PER_PIECE = 4;

/** Atoms of the text from `options.lead` on, in order. The atoms tile this text. */
export function* atomsOf(text: string, options: SplitOptions): Generator<Atom> {
  let open: Atom | undefined;
  let blank: Atom | undefined;
  for (const unit of unitsOf(text, options)) {
    if (isBlank(text, unit.start, unit.end)) {
      // White space is joined to the preceding atom; at the start of the text, it is joined to the following atom.
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

/** Joins two neighbours. The token sum is approximate; the tokens of a piece are counted exactly. */
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
      // A table row is not split if it fits into a piece, because half a row is meaningless.
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
