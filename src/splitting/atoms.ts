import { blocksOfCode, blocksOfProse } from './blocks.js';
import type { Span } from './boundary.js';
import { fragmentsOf, type Room } from './fragments.js';
import type { SplitOptions } from './piece.js';
import { sentencesOf } from './sentences.js';

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

/** Parts of a piece that an atom may fill, so that there is a choice of places to cut. */
const ATOMS_PER_PIECE = 4;

const CODE =
  /^(?:text\/x-(?!rst)|text\/(?:javascript|css)|application\/(?:json|xml|javascript|.*\+(?:json|xml)))/;

/** Atoms of the text from `options.lead` on, in order; they tile it. */
export function* atomsOf(text: string, options: SplitOptions): Generator<Atom> {
  const measure = (content: string): number => options.counter.count(content);
  const within = (limit: number) => (content: string) =>
    content.trim().length <= limit * CHARACTERS_PER_TOKEN && measure(content) <= limit;
  const room = {
    part: within(Math.max(1, Math.floor(options.size / ATOMS_PER_PIECE))),
    piece: within(options.size),
  };

  let open: { span: Span; startsPage: boolean } | undefined;
  let blankStart: number | undefined;
  for (const { start, end, boundary, startsPage } of unitsOf(text, options, room)) {
    if (isBlank(text, start, end)) {
      // White space belongs to what stands before it; at the very start there is only what follows.
      if (open === undefined) blankStart ??= start;
      else open.span = { ...open.span, end };
      continue;
    }
    if (open !== undefined) yield toAtom(text, open.span, open.startsPage, measure);
    open = { span: { start: blankStart ?? start, end, boundary }, startsPage };
    blankStart = undefined;
  }
  if (open !== undefined) yield toAtom(text, open.span, open.startsPage, measure);
}

function toAtom(text: string, span: Span, startsPage: boolean, measure: (content: string) => number): Atom {
  return { ...span, startsPage, tokens: measure(text.slice(span.start, span.end)) };
}

function isBlank(text: string, start: number, end: number): boolean {
  return !/\S/.test(text.slice(start, end));
}

function* unitsOf(
  text: string,
  options: SplitOptions,
  room: Room,
): Generator<Span & { startsPage: boolean }> {
  const blocksOf = CODE.test(options.contentType ?? '') ? blocksOfCode : blocksOfProse;
  for (const [from, to] of pageRanges(text, options)) {
    let startsPage = from > (options.lead ?? 0);
    for (const block of blocksOf(text, from, to)) {
      for (const sentence of sentencesOf(text, block)) {
        for (const fragment of fragmentsOf(text, sentence, room)) {
          yield { ...fragment, startsPage };
          if (!isBlank(text, fragment.start, fragment.end)) startsPage = false;
        }
      }
    }
  }
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
