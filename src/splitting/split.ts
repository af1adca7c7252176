import { atomsOf, CHARACTERS_PER_TOKEN, type Atom } from './atoms.js';
import { Boundary, SECTION } from './cuts.js';
import type { PageSpan, Piece, SplitOptions } from './piece.js';

/** A cut is sought in the last part of the room that a piece has, so that pieces are at least this full. */
const MIN_FILL = 0.5;

/** How far to read on before cutting, so that the rest of a page is never a tiny piece of its own. */
const LOOKAHEAD = 1.5;
const MIN_REST = 0.25;

/**
 * Splits a text into pieces of at most `size` tokens, in time linear in its length. Bodies tile the text from
 * `options.lead` on; a piece repeats up to `overlap` tokens of whole sentences of the one before, unless it starts a
 * section. Pages are never mixed in one body. No piece is white space alone: a blank text has none.
 */
export function split(text: string, options: SplitOptions): Piece[] {
  return [...piecesOf(text, options)];
}

/** {@link split}, one piece at a time. */
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
  /** Atoms of the piece before, from which the overlap is taken. */
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

  /** Pieces that can be cut already, with enough read ahead to choose well. */
  *full(): Generator<Piece> {
    while (
      this.waitingTokens > this.options.size * LOOKAHEAD ||
      this.isTooLong(this.waiting.length, LOOKAHEAD)
    ) {
      yield this.cut();
    }
  }

  /** Everything that waits; what follows starts a piece of its own. */
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

  /** How many of the waiting atoms make the next body: the best boundary among the last ones that have room. */
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

  /** The piece of the first `count` waiting atoms; undefined when it is over the budget and can be made smaller. */
  private assemble(count: number): Piece | undefined {
    const [first, last] = [this.waiting[0], this.waiting[count - 1]];
    if (first === undefined || last === undefined) throw new RangeError('a piece needs at least one atom');
    const bodyTokens = this.waiting.slice(0, count).reduce((sum, { tokens }) => sum + tokens, 0);
    // The overlap gives context to the body; it must not outweigh it.
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
   * Where the overlap of the next piece starts: at the earliest sentence of the piece before from which at most
   * `most` tokens remain. After a cut inside a sentence, at the earliest place as good as that cut.
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

/** Finds the page of ascending offsets, all together in one pass over the pages. */
class PageFinder {
  private next = 0;

  constructor(private readonly pages: readonly PageSpan[]) {}

  /** 1-based number of the last page that starts at or before `offset`; null when the text has no pages. */
  pageOf(offset: number): number | null {
    for (let page = this.pages[this.next]; page !== undefined && page.start <= offset;) {
      this.next += 1;
      page = this.pages[this.next];
    }
    return (this.pages[this.next - 1] ?? this.pages[0])?.pageNumber ?? null;
  }
}
