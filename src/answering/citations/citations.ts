import { composed } from '../../json/spelling.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import { pageLabel, passageLabel, type PromptPassage } from '../prompt/prompt.js';
import { type Evidence, EvidenceFinder } from './evidence.js';
import { markerAt } from './marker.js';
import { Statements } from './statements.js';

/** Form of the citations in an answer: none, labels in the text, or positions in a text without labels. */
export type CitationForm = 'none' | 'labels' | 'positions';

/** A cited passage, and the page that the marker names, if any. */
interface Source {
  readonly chunk: RetrievedChunk;
  readonly page?: number;
}

/** Matches text after a removed marker that needs no space before it, such as a comma. */
const CLOSES = /^[\s.,;:!?…)\]}»”’"'。，；：！？、）」』]/u;

const BLANKS = /^[ \t]+/;

/** Matches a possible start of a marker, together with all blanks before it. */
const STOP = /(?<![ \t])[ \t]*(?:[[【]|[ \t]$)/;

/**
 * Converts the markers in a model's output into citations. The output may arrive in pieces of any size; the size does
 * not affect the result. A citation names the page of the sentence that best supports the cited statement. A marker
 * without a matching source is removed, together with a redundant space.
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
  /** The last cited chunk. */
  private lastCited: RetrievedChunk | undefined;
  private held = '';
  /**
   * Blanks before a removed marker. The blanks are held back until the following text shows whether it needs blanks
   * before it.
   */
  private blanksBefore = '';
  private removed = false;
  private written = 0;
  /** The last character that was read; empty after a marker. */
  private before = '';

  /** @param form `labels`: the text contains a label for each citation; `positions`: the text contains no labels */
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

  /** Appends a piece of output. Returns the final part of the text, which may be empty. */
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

  /**
   * Writes the labels of citations. Consecutive equal labels are written once, with one recorded citation per chunk.
   */
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

  /** Records citations at the end of the current text. Consecutive citations of the same chunk are recorded once. */
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
    const named = marker.label === undefined ? undefined : this.byLabel.get(comparable(marker.label));
    const numbered = (marker.numbers ?? []).flatMap((number) => this.byNumber.get(number) ?? []);
    return [...new Set(named === undefined ? numbered : [named])];
  }

  private keepBack(blanks: string): void {
    if (!this.removed) this.blanksBefore = blanks;
    this.removed = true;
  }

  /** Returns the held-back blanks if the following text needs them. */
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

/** Models compose the letters of a file name, whose system may have decomposed them. */
function comparable(label: string): string {
  return composed(label).toLowerCase();
}

/**
 * Sources by lower-case label. If several chunks have the same label, the first chunk is used. A chunk that contains a
 * page only in its overlap comes after all other chunks.
 */
function byLabel(chunks: readonly RetrievedChunk[]): ReadonlyMap<string, Source> {
  const onPage = (chunk: RetrievedChunk, page: number | undefined): [string, Source][] =>
    page === undefined ? [] : [[pageLabel(chunk, page), { chunk, page }]];
  const labels = [
    ...chunks.map((chunk): [string, Source] => [passageLabel(chunk), { chunk }]),
    ...chunks.flatMap((chunk) => onPage(chunk, chunk.pageNumber ?? undefined)),
    ...chunks.flatMap((chunk) => onPage(chunk, chunk.overlap?.pageNumber)),
  ];
  // Reversed, because a Map keeps the last of several equal keys.
  return new Map(labels.reverse().map(([label, source]) => [comparable(label), source]));
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
