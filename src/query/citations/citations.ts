import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import { pageLabel, passageLabel, type PromptPassage } from '../prompt/prompt.js';
import { type Evidence, EvidenceFinder } from './evidence.js';
import { markerAt } from './marker.js';
import { Statements } from './statements.js';

/** Citations in an answer: none, labels in the text, or positions in a text without labels. */
export type CitationForm = 'none' | 'labels' | 'positions';

/** A cited passage, and the page if the marker names one. */
interface Source {
  readonly chunk: RetrievedChunk;
  readonly page?: number;
}

/** Characters that make the space before a removed marker redundant. */
const CLOSES = /^[\s.,;:!?…)\]}»”’"'。，；：！？、）」』]/u;

const BLANKS = /^[ \t]+/;

/** Possible start of a marker, with preceding blanks. Matches only at the first blank of a run. */
const STOP = /(?<![ \t])[ \t]*(?:[[【]|[ \t]$)/;

/**
 * Converts the markers in a model's output into citations. The output may arrive in pieces of any size; the result does
 * not depend on the cuts. A citation names the page of the sentence that supports its statement best. A marker without
 * a matching source is removed together with a redundant space.
 *
 * @example
 * const writer = new CitationWriter(passages);
 * let text = '';
 * for (const delta of deltas) text += writer.push(delta);
 * text += writer.end();
 * writer.citations; // offsets into text
 */
export class CitationWriter {
  private readonly placed: CitationEntry[] = [];
  private readonly byNumber: ReadonlyMap<number, Source>;
  private readonly byLabel: ReadonlyMap<string, Source>;
  private readonly statements = new Statements();
  private readonly evidence = new EvidenceFinder();
  /** Chunk of the last citation. */
  private lastCited: RetrievedChunk | undefined;
  private held = '';
  /** Blanks before a removed marker, kept back until text follows. */
  private blanksBefore = '';
  private removed = false;
  private written = 0;
  /** Last character of plain text; empty after a marker. */
  private before = '';

  /** @param form `positions`: citations have a position in the text and no label */
  constructor(
    passages: readonly PromptPassage[],
    private readonly form: Exclude<CitationForm, 'none'> = 'labels',
  ) {
    this.byNumber = new Map(passages.map(({ number, chunk }) => [number, { chunk }]));
    this.byLabel = byLabel(passages.map(({ chunk }) => chunk));
  }

  get citations(): readonly CitationEntry[] {
    return this.placed;
  }

  /** Appends a piece and returns the text that is final, possibly empty. */
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
      const end = blanks.length + marker.length;
      if (sources.length === 0) this.keepBack(blanks);
      else {
        const statement = this.statements.next(this.held, end, whole);
        if (statement === undefined) break;
        if (this.form === 'labels') {
          out += this.writeCitations(this.release(blanks) + blanks, sources, statement);
        } else {
          this.placeCitations(sources, statement);
          this.keepBack(blanks);
        }
      }
      this.take(end, '');
    }
    return out;
  }

  private writeText(blanks: string): string {
    const stop = this.held.slice(blanks.length).search(STOP);
    const text = stop === -1 ? this.held : this.held.slice(0, blanks.length + stop);
    this.take(text.length, text.at(-1) ?? '');
    return this.write(this.release(text) + text);
  }

  /** Adjacent citations with one label are written once, and located once per chunk. */
  private writeCitations(gap: string, sources: readonly Source[], statement: string): string {
    let out = '';
    let pending = gap;
    for (const { chunk, page } of sources) {
      const evidence = this.evidence.find(chunk, statement, page);
      const text = `[${pageLabel(chunk, evidence.pageNumber)}]`;
      const last = this.placed.at(-1);
      const adjacent = last !== undefined && last.end === this.written;
      if (adjacent && last.text === text) {
        if (this.lastCited !== chunk) this.placed.push(citationEntry(last, chunk, evidence));
      } else {
        out += this.write(pending === '' && adjacent ? ' ' : pending);
        const start = this.written;
        this.written += text.length;
        out += text;
        this.placed.push(citationEntry({ start, end: this.written, text }, chunk, evidence));
      }
      this.lastCited = chunk;
      pending = '';
    }
    return out;
  }

  /** Locates citations at the end of the current text; adjacent citations of a chunk are located once. */
  private placeCitations(sources: readonly Source[], statement: string): void {
    for (const { chunk, page } of sources) {
      const evidence = this.evidence.find(chunk, statement, page);
      const isRepeated = this.lastCited === chunk && this.placed.at(-1)?.end === this.written;
      const place = { start: this.written, end: this.written, text: '' };
      if (!isRepeated) this.placed.push(citationEntry(place, chunk, evidence));
      this.lastCited = chunk;
    }
  }

  private resolve(marker: { numbers?: readonly number[]; label?: string }): Source[] {
    const named = marker.label === undefined ? undefined : this.byLabel.get(marker.label.toLowerCase());
    const numbered = (marker.numbers ?? []).flatMap((number) => this.byNumber.get(number) ?? []);
    return [...new Set(named === undefined ? numbered : [named])];
  }

  private keepBack(blanks: string): void {
    if (!this.removed) this.blanksBefore = blanks;
    this.removed = true;
  }

  /** Returns the kept-back blanks if the following text needs them. */
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
    this.statements.add(text);
    return text;
  }
}

/**
 * Sources by lower-case label. The first chunk with a label wins; a chunk that has a page only in its overlap ranks
 * last.
 */
function byLabel(chunks: readonly RetrievedChunk[]): ReadonlyMap<string, Source> {
  const onPage = (chunk: RetrievedChunk, page: number | undefined): [string, Source][] =>
    page === undefined ? [] : [[pageLabel(chunk, page), { chunk, page }]];
  const labels = [
    ...chunks.map((chunk): [string, Source] => [passageLabel(chunk), { chunk }]),
    ...chunks.flatMap((chunk) => onPage(chunk, chunk.pageNumber ?? undefined)),
    ...chunks.flatMap((chunk) => onPage(chunk, chunk.overlap?.pageNumber)),
  ];
  // `Map` keeps the last of equal keys.
  return new Map(labels.reverse().map(([label, source]) => [label.toLowerCase(), source]));
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

export function citationEntry(
  { start, end, text }: Pick<CitationEntry, 'start' | 'end' | 'text'>,
  chunk: RetrievedChunk,
  { quote, pageNumber }: Evidence,
): CitationEntry {
  return {
    start,
    end,
    text,
    document_id: chunk.documentId,
    chunk_number: chunk.chunkNumber,
    filename: chunk.filename,
    page_number: pageNumber,
    quote,
  };
}
