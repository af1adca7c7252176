import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import { pageLabel, type PromptPassage } from '../prompt/prompt.js';
import { type Evidence, EvidenceFinder } from './evidence.js';
import { type Bracket, OPENERS, readBracket } from './marker.js';
import { CitableSources, type Source } from './sources.js';
import { Statements } from './statements.js';
import { type Known, Surroundings } from './surroundings.js';

/** Form of the citations in an answer: none, labels in the text, or positions in a text without labels. */
export type CitationForm = 'none' | 'labels' | 'positions';

/** Matches text that needs no space before it, such as a comma. It may follow a removed marker. */
const CLOSES = /^[\s.,;:!?…)\]}»”’"'。，；：！？、）」』]/u;

const BLANKS = /^[ \t]+/;

const OPENER = new RegExp(`[${OPENERS}]`, 'u');
/** Matches a possible start of a marker, together with all blanks before it. */
const STOP = new RegExp(`(?<![ \\t])[ \\t]*(?:[${OPENERS}]|[ \\t]$)`, 'u');

/**
 * How far the writer looks ahead from the first single bracket that may be a marker, in UTF-16 code units. An answer
 * has one form of markers: if `[[1]]` stands within this distance, or before the bracket, then `[1]` is text. A stream
 * waits until this distance has arrived, once for an answer. Later brackets need no wait.
 */
const FORM_AHEAD = 500;

const CODE = /(`{3,}|~{3,})[^]*?(?:\1|$)|`[^`\n]*`/g;
const PAIR_OF_OPENERS = /[[［【]{2}|[⟦〚]/gu;

/** Matches after a bracket in one pair: a link, an index, an assignment or an operation. */
const CONTINUES = /^(?:[(\w]|:(?=\S)|[ \t]*(?:[=*^<>+/|]|-(?!\s)))/;

type Reading =
  'text' | 'plain numbers' | 'unfinished' | { readonly length: number; readonly sources: readonly Source[] };

/**
 * Converts the markers in a model's output into citations, and leaves all other text unchanged. The output may arrive
 * in pieces of any size; the size does not affect the result. A citation names the page of the sentence that best
 * supports the cited statement. A marker of the requested form (`[[1]]`) and a label with a page (`[a.pdf, page 3]`) are
 * removed if no source matches, together with a redundant space.
 *
 * A bracket is a marker by three rules: it says so (`marker.ts`), it is not in code, a formula, the address of a link
 * or JSON (`surroundings.ts`), and, in single brackets, it names existing sources, cites a statement, and the answer
 * has no markers in double brackets.
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
  private readonly sources: CitableSources;
  private readonly surroundings = new Surroundings();
  private readonly statements = new Statements();
  private readonly evidence = new EvidenceFinder();
  /** The form of the markers in this answer, as soon as it is known. */
  private brackets: 'unknown' | 'double' | 'single' = 'unknown';
  private lastCited: RetrievedChunk | undefined;
  private held = '';
  /**
   * Blanks before a removed marker. The blanks are held back until the following text shows whether it needs blanks
   * before it.
   */
  private blanksBefore = '';
  private removed = false;
  private written = 0;

  /** @param form `labels`: the text contains a label for each citation; `positions`: the text contains no labels */
  constructor(
    passages: readonly PromptPassage[],
    private readonly form: Exclude<CitationForm, 'none'> = 'labels',
  ) {
    this.sources = new CitableSources(passages);
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
      if (!OPENER.test(next)) {
        out += this.writeText(blanks);
        continue;
      }
      const reading = this.read(blanks, whole);
      if (reading === 'unfinished') break;
      if (reading === 'text' || reading === 'plain numbers') {
        if (reading === 'plain numbers') this.surroundings.addPlainNumbers();
        out += this.write(this.release(blanks) + blanks + next);
        this.take(blanks.length + 1);
        continue;
      }
      const end = blanks.length + reading.length;
      if (reading.sources.length === 0) this.keepBack(blanks);
      else {
        const statement = this.statements.next(this.held, end, whole);
        if (statement === undefined) break;
        if (this.form === 'labels') {
          out += this.writeCitations(this.release(blanks) + blanks, reading.sources, statement);
        } else {
          this.placeCitations(reading.sources, statement);
          this.keepBack(blanks);
        }
      }
      this.held = this.held.slice(end);
      this.surroundings.addMarker();
    }
    return out;
  }

  /** Reads the bracket after the blanks at the beginning of the held text. */
  private read(blanks: string, whole: boolean): Reading {
    const at = blanks.length;
    const bracket = readBracket(this.held, at, whole);
    if (bracket.kind === 'text' || bracket.kind === 'unfinished') return bracket.kind;
    const sources = this.sourcesOf(bracket);
    if (sources === undefined) return bracket.kind === 'numbers' ? 'plain numbers' : 'text';
    const behind = this.held.slice(at + bracket.length);
    if (/^[ \t]*$/.test(behind) && !whole) return 'unfinished';
    const isVerbatim = this.surroundings.isVerbatim(this.held.slice(at), whole);
    if (isVerbatim !== 'no') return isVerbatim === 'yes' ? 'text' : 'unfinished';
    const isMarker = this.isMarker(bracket, blanks, behind, whole);
    if (isMarker === 'unfinished') return 'unfinished';
    if (isMarker === 'no') return bracket.kind === 'numbers' ? 'plain numbers' : 'text';
    return { length: bracket.length, sources };
  }

  /** The sources that a bracket names; undefined if it cannot be a marker, because it names none. */
  private sourcesOf(
    bracket: Exclude<Bracket, { kind: 'text' | 'unfinished' }>,
  ): readonly Source[] | undefined {
    if (bracket.kind === 'label') {
      const source = this.sources.labelled(bracket.label);
      if (source !== undefined) return [source];
      // A label that looks like a citation of the service, but names no source, must not stand in an answer.
      return bracket.isOurs ? [] : undefined;
    }
    const { form, sources } = bracket;
    const mayBeUnknown = form === 'asked';
    if (!mayBeUnknown && !sources.every(({ number }) => this.sources.has(number))) return undefined;
    const isOwn = form === 'bare' && sources.some(({ number }) => this.sources.carry(number));
    return isOwn ? undefined : this.sources.numbered(sources);
  }

  /** Whether a bracket that names sources, outside code and the like, is a marker at its place. */
  private isMarker(
    bracket: Exclude<Bracket, { kind: 'text' | 'unfinished' }>,
    blanks: string,
    behind: string,
    whole: boolean,
  ): Known {
    if (behind.startsWith('(')) return 'no';
    const opener = this.held[blanks.length] ?? '';
    if (bracket.kind === 'label') {
      return blanks !== '' || this.surroundings.mayPrecedeLabel() ? 'yes' : 'no';
    }
    if (bracket.form === 'asked' || bracket.form === 'nested') {
      if (this.surroundings.followsEquals) return 'no';
      this.brackets = 'double';
      return 'yes';
    }
    if (this.brackets === 'double' || CONTINUES.test(behind)) return 'no';
    if (bracket.sources.length > 1 && this.surroundings.followsNameOfValue) return 'no';
    const mayStand =
      this.surroundings.endsStatement(blanks, opener) ||
      (bracket.form === 'worded' && this.surroundings.isAtLineStart());
    if (!mayStand) return 'no';
    if (this.brackets === 'single') return 'yes';
    if (behind.length < FORM_AHEAD && !whole) return 'unfinished';
    this.brackets = this.hasDoubled(behind.slice(0, FORM_AHEAD)) ? 'double' : 'single';
    return this.brackets === 'single' ? 'yes' : 'no';
  }

  /** Whether a text has a marker in double brackets outside code. */
  private hasDoubled(text: string): boolean {
    const prose = text.replace(CODE, ' ');
    return Array.from(prose.matchAll(PAIR_OF_OPENERS)).some(({ index }) => {
      const bracket = readBracket(prose, index, true);
      if (bracket.kind !== 'numbers') return false;
      return bracket.sources.some(({ number }) => this.sources.has(number));
    });
  }

  private writeText(blanks: string): string {
    const stop = this.held.slice(blanks.length).search(STOP);
    const text = stop === -1 ? this.held : this.held.slice(0, blanks.length + stop);
    this.take(text.length);
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

  /** Removes plain text from the beginning of the held text. */
  private take(length: number): void {
    this.surroundings.add(this.held.slice(0, length));
    this.held = this.held.slice(length);
  }

  private write(text: string): string {
    this.written += text.length;
    this.statements.add(text);
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
