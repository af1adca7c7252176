import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import { bestSupport, sentencesOf } from '../passages/sentences.js';
import { passageLabel, type PromptPassage } from '../prompt/prompt.js';
import { markerAt } from './marker.js';

/** A source that markers may point at: its number in the prompt and the label that is written into the text. */
export interface CitableSource {
  readonly number: number;
  /** `manual.pdf, page 3`, without brackets. */
  readonly label: string;
  readonly chunk: RetrievedChunk;
}

/** A citation in a finished text, at its UTF-16 offsets. */
export interface PlacedCitation {
  readonly start: number;
  readonly end: number;
  readonly source: CitableSource;
}

/** What is dropped around a removed marker: the space before it, when one of these follows. */
const CLOSES = /^[\s.,;:!?…)\]}»”’"'。，；：！？、）」』]/u;

const BLANKS = /^[ \t]+/;

/** Where a marker may begin, or blanks that one may follow; sought from the first blank of a run only. */
const STOP = /(?<![ \t])[ \t]*(?:[[【]|[ \t]$)/;

/**
 * Turns the markers in a model's text into citations. The text may come in pieces of any size: what is given out does
 * not depend on where it was cut. A marker that resolves to no source is removed, with the space before it where that
 * would be left over.
 *
 * @example
 * const writer = new CitationWriter(sources);
 * let text = '';
 * for (const delta of deltas) text += writer.push(delta);
 * text += writer.end();
 * writer.citations; // offsets into text
 */
export class CitationWriter {
  private readonly placed: PlacedCitation[] = [];
  private readonly byNumber: ReadonlyMap<number, CitableSource>;
  private readonly byLabel: ReadonlyMap<string, CitableSource>;
  private held = '';
  /** Blanks before a removed marker: given out only if text follows. */
  private blanksBefore = '';
  private removed = false;
  private written = 0;
  /** Last character of plain text; empty after a marker. */
  private before = '';

  constructor(sources: readonly CitableSource[]) {
    this.byNumber = new Map(sources.map((source) => [source.number, source]));
    this.byLabel = new Map([...sources].reverse().map((source) => [source.label.toLowerCase(), source]));
  }

  get citations(): readonly PlacedCitation[] {
    return this.placed;
  }

  /** Takes the next piece and returns what is settled by it, possibly nothing. */
  push(delta: string): string {
    this.held += delta;
    return this.settle(false);
  }

  end(): string {
    return this.settle(true);
  }

  private settle(whole: boolean): string {
    let out = '';
    while (this.held !== '') {
      const blanks = BLANKS.exec(this.held)?.[0] ?? '';
      if (blanks.length === this.held.length && !whole) break;
      const next = this.held[blanks.length] ?? '';
      if (next !== '[' && next !== '【') {
        out += this.writeText(blanks);
        continue;
      }
      const marker = markerAt(this.held, blanks.length, blanks === '' ? this.before : blanks, whole);
      if (marker.kind === 'unfinished') break;
      if (marker.kind === 'text') {
        out += this.write(this.release(blanks) + blanks + next);
        this.take(blanks.length + 1, next);
        continue;
      }
      const sources = this.resolve(marker);
      if (sources.length > 0) out += this.writeCitations(this.release(blanks) + blanks, sources);
      else this.keepBack(blanks);
      this.take(blanks.length + marker.length, '');
    }
    return out;
  }

  private writeText(blanks: string): string {
    const stop = this.held.slice(blanks.length).search(STOP);
    const text = stop === -1 ? this.held : this.held.slice(0, blanks.length + stop);
    this.take(text.length, text.at(-1) ?? '');
    return this.write(this.release(text) + text);
  }

  /** Neighbouring citations with one label are written once, and placed once for each chunk. */
  private writeCitations(gap: string, sources: readonly CitableSource[]): string {
    let out = '';
    let pending = gap;
    for (const source of sources) {
      const last = this.placed.at(-1);
      const adjacent = last !== undefined && last.end === this.written;
      if (adjacent && last.source.label === source.label) {
        if (last.source !== source) this.placed.push({ ...last, source });
      } else {
        out += this.write(pending === '' && adjacent ? ' ' : pending);
        const start = this.written;
        out += this.write(`[${source.label}]`);
        this.placed.push({ start, end: this.written, source });
      }
      pending = '';
    }
    return out;
  }

  private resolve(marker: { numbers?: readonly number[]; label?: string }): CitableSource[] {
    const named = marker.label === undefined ? undefined : this.byLabel.get(marker.label.toLowerCase());
    const numbered = (marker.numbers ?? []).flatMap((number) => this.byNumber.get(number) ?? []);
    return [...new Set(named === undefined ? numbered : [named])];
  }

  private keepBack(blanks: string): void {
    if (!this.removed) this.blanksBefore = blanks;
    this.removed = true;
  }

  /** The blanks that were kept back, when what follows needs them. */
  private release(following: string): string {
    const blanks = this.removed && !CLOSES.test(following) ? this.blanksBefore : '';
    this.removed = false;
    this.blanksBefore = '';
    return blanks;
  }

  private take(length: number, before: string): void {
    this.held = this.held.slice(length);
    this.before = before;
  }

  private write(text: string): string {
    this.written += text.length;
    return text;
  }
}

export interface CitationEntry {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly document_id: string;
  readonly chunk_number: number;
  readonly filename: string | null;
  readonly page_number: number | null;
  /** The sentence of the chunk that best supports the statement; null for a page without text. */
  readonly quote: string | null;
}

/** How far back the statement before a citation is looked for. */
const STATEMENT_LENGTH = 1_000;

export function citableSources(passages: readonly PromptPassage[]): CitableSource[] {
  return passages.map(({ number, chunk }) => ({ number, chunk, label: passageLabel(chunk) }));
}

/** The citations of a finished text with the sentences they rest on. */
export function citationEntries(completion: string, placed: readonly PlacedCitation[]): CitationEntry[] {
  let statement = '';
  let previousEnd = 0;
  return placed.map(({ start, end, source: { chunk } }) => {
    const between = completion.slice(previousEnd, start);
    // Of citations side by side, each supports the statement before the first.
    if (between.trim() !== '') statement = lastSentence(between.slice(-STATEMENT_LENGTH));
    previousEnd = end;
    const support = bestSupport(chunk.content, statement);
    const quote = support === null ? null : chunk.content.slice(support.start, support.end);
    return citationEntry({ start, end, text: completion.slice(start, end) }, chunk, quote);
  });
}

export function citationEntry(
  place: Pick<CitationEntry, 'start' | 'end' | 'text'>,
  chunk: RetrievedChunk,
  quote: string | null,
): CitationEntry {
  return {
    ...place,
    document_id: chunk.documentId,
    chunk_number: chunk.chunkNumber,
    filename: chunk.filename,
    page_number: chunk.pageNumber,
    quote,
  };
}

function lastSentence(text: string): string {
  return sentencesOf(text).at(-1)?.text ?? text;
}
