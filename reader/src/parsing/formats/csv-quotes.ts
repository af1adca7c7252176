import Papa from 'papaparse';

/** Size of the sample that determines the number of fields per row. */
const SAMPLED_ROWS = 1_000;
const SAMPLED_CHARACTERS = 1_000_000;

/** Minimum number of delimiters in the expected places for the lines between two quotes to count as rows. */
const MIN_MATCHING_DELIMITERS = 6;

/** Bound on repeated reading, as a multiple of the text length. */
const MAX_REREADING = 4;

/** Replaces the text from `start` to `end`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A quoted field: its closing quote, and its content if it needs an edit. */
interface Quoted {
  readonly close: number;
  readonly content?: string;
}

/**
 * Escapes literal quotes, so that an RFC 4180 parser separates the rows. A quote is literal if it is never closed
 * (`pipe,"3`), if it closes before the end of the field (`"pipe 3" long`), or if it closes so far away that the lines
 * between are rows. Keeps multi-line quoted fields. Backslash escapes become doubled quotes. Runs in linear time. Line
 * ends must be `\n`.
 */
export function escapeStrayQuotes(text: string, delimiter: string): string {
  return text.includes('"') ? new QuoteEscaper(text, delimiter).escaped() : text;
}

class QuoteEscaper {
  private readonly edits: Edit[] = [];
  private readonly expectedWidth: number | undefined;
  private rereading: number;
  private searched = { start: 0, delimiterAt: -1 };

  constructor(
    private readonly text: string,
    private readonly delimiter: string,
  ) {
    this.expectedWidth = usualWidth(text, delimiter);
    this.rereading = MAX_REREADING * text.length;
  }

  escaped(): string {
    const { text } = this;
    let row = 0;
    for (;;) {
      const quote = text.indexOf('"', row);
      if (quote < 0) break;
      row = this.readRow(Math.max(row, text.lastIndexOf('\n', quote) + 1)) + 1;
    }
    if (this.edits.length === 0) return text;
    const parts: string[] = [];
    let end = 0;
    for (const edit of this.edits) {
      parts.push(text.slice(end, edit.start), edit.text);
      ({ end } = edit);
    }
    return parts.join('') + text.slice(end);
  }

  /** @returns the end of the row. */
  private readRow(start: number): number {
    let literalUpTo = -1;
    for (;;) {
      const { end, width, edits, multiline } = this.fieldsOf(start, literalUpTo);
      if (multiline < 0 || this.rereading < 0 || !this.areRows(start, end, width)) {
        for (const edit of edits) this.edits.push(edit);
        return end;
      }
      literalUpTo = multiline;
      this.rereading -= end - start;
    }
  }

  /**
   * Reads the fields of a row. The quote of a multi-line field that begins at or before `literalUpTo` is literal.
   * `multiline` is the start of the first multi-line field after `literalUpTo`, or -1.
   */
  private fieldsOf(start: number, literalUpTo: number) {
    const { text, delimiter } = this;
    const edits: Edit[] = [];
    let multiline = -1;
    let width = 0;
    let at = start;
    let end = this.lineEnd(at);
    for (;;) {
      width += 1;
      const fieldStart = at;
      while (text[at] === ' ') at += 1;
      if (text[at] === '"') {
        const quoted = this.quotedField(at, end);
        const isMultiline = quoted !== undefined && quoted.close > end;
        if (quoted === undefined || (isMultiline && (at <= literalUpTo || at > fieldStart))) {
          const fieldEnd = Math.min(this.delimiterFrom(at), end);
          edits.push({ start: fieldStart, end: fieldEnd, text: inQuotes(text.slice(fieldStart, fieldEnd)) });
        } else {
          if (quoted.content !== undefined || at > fieldStart) {
            const content = quoted.content ?? text.slice(at + 1, quoted.close).replaceAll('""', '"');
            edits.push({ start: fieldStart, end: quoted.close + 1, text: inQuotes(content) });
          }
          if (isMultiline) {
            if (multiline < 0) multiline = at;
            end = this.lineEnd(quoted.close);
          }
          at = quoted.close;
        }
      }
      const next = this.delimiterFrom(at);
      if (next >= end) return { end, width, edits, multiline };
      at = next + delimiter.length;
    }
  }

  /** The quoted field that opens at `open`; undefined if the quote is literal. */
  private quotedField(open: number, lineEnd: number): Quoted | undefined {
    const { text } = this;
    const close = this.closingQuote(open);
    if (close < 0) return undefined;
    if (this.endsField(close)) return { close };
    if (close > lineEnd) return undefined;
    if (text[close - 1] === '\\') {
      const escapedClose = this.closingQuote(open, true);
      if (escapedClose > 0 && this.endsField(escapedClose)) {
        const content = text.slice(open + 1, escapedClose).replace(/\\"|""/g, '"');
        return { close: escapedClose, content };
      }
    }
    return this.looselyQuoted(open, close, lineEnd);
  }

  /** A single-line field with inner quotes that are not doubled: `"the "old" pier"`. */
  private looselyQuoted(open: number, inner: number, lineEnd: number): Quoted | undefined {
    const { text, delimiter } = this;
    for (let at = text.indexOf('"', inner + 1); at >= 0 && at < lineEnd; at = text.indexOf('"', at + 1)) {
      if (this.endsField(at)) return { close: at, content: text.slice(open + 1, at) };
      if (text.startsWith(delimiter, at - delimiter.length)) return undefined; // this quote opens the next field
    }
    return undefined;
  }

  /** The first unescaped quote after `open`; -1 if there is no such quote. */
  private closingQuote(open: number, allowsBackslash = false): number {
    const { text } = this;
    let at = text.indexOf('"', open + 1);
    while (at >= 0) {
      if (allowsBackslash && text[at - 1] === '\\') at = text.indexOf('"', at + 1);
      else if (text[at + 1] === '"') at = text.indexOf('"', at + 2);
      else return at;
    }
    return -1;
  }

  private endsField(quote: number): boolean {
    let next = quote + 1;
    while (this.text[next] === ' ') next += 1;
    return next >= this.text.length || this.text[next] === '\n' || this.text.startsWith(this.delimiter, next);
  }

  /** Whether the lines of a row with a multi-line quoted field are rows themselves. */
  private areRows(start: number, end: number, width: number): boolean {
    const expected = this.expectedWidth;
    if (expected === undefined) return false;
    const widths = this.text
      .slice(start, end)
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => widthOf(line, this.delimiter));
    const matching = widths.filter((each) => each === expected).length;
    if (width === expected)
      return matching === widths.length && (expected - 1) * matching >= MIN_MATCHING_DELIMITERS;
    return widths[0] === expected || matching * 2 > widths.length;
  }

  /** Caches the last result, so that a distant delimiter is searched for once, not once per row. */
  private delimiterFrom(from: number): number {
    const { start, delimiterAt } = this.searched;
    if (from >= start && from <= delimiterAt) return delimiterAt;
    const found = indexOrEnd(this.text, this.delimiter, from);
    if (from < start) this.rereading -= found - from;
    this.searched = { start: from, delimiterAt: found };
    return found;
  }

  private lineEnd(at: number): number {
    return indexOrEnd(this.text, '\n', at);
  }
}

function indexOrEnd(text: string, wanted: string, from: number): number {
  const at = text.indexOf(wanted, from);
  return at < 0 ? text.length : at;
}

function inQuotes(content: string): string {
  return `"${content.replaceAll('"', '""')}"`;
}

/**
 * Returns the most frequent number of fields per row in the sample; undefined for a single column. Reads the sample in
 * two ways. Reading with multi-line fields fails if the sample has a stray quote, and reading line by line fails if it
 * has a long field.
 */
function usualWidth(text: string, delimiter: string): number | undefined {
  const head = text.slice(0, SAMPLED_CHARACTERS);
  const preview = SAMPLED_ROWS;
  const { data } = Papa.parse<string[]>(head, { delimiter, newline: '\n', quoteChar: '"', preview });
  const lines = head.split('\n', SAMPLED_ROWS);
  const readings = [data.map(({ length }) => length), lines.map((line) => widthOf(line, delimiter))];
  const [ofRows, ofLines] = readings.map(mostFrequent);
  const first = data.find(({ length }) => length > 1)?.length;
  if (ofRows?.width === first || ofLines === undefined) return ofRows?.width;
  return ofLines.width === first || ofLines.share > (ofRows?.share ?? 0) ? ofLines.width : ofRows?.width;
}

function mostFrequent(widths: readonly number[]): { width: number; share: number } | undefined {
  const counts = new Map<number, number>();
  for (const width of widths) if (width > 1) counts.set(width, (counts.get(width) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most && { width: most[0], share: most[1] / widths.length };
}

function widthOf(line: string, delimiter: string): number {
  let width = 1;
  let at = 0;
  for (;;) {
    if (line[at] === '"') {
      let close = line.indexOf('"', at + 1);
      while (close >= 0 && line[close + 1] === '"') close = line.indexOf('"', close + 2);
      const next = close + 1;
      if (close >= 0 && (next === line.length || line.startsWith(delimiter, next))) at = next;
    }
    at = line.indexOf(delimiter, at);
    if (at < 0) return width;
    width += 1;
    at += delimiter.length;
  }
}
