import { sentencesOf } from '../passages/sentences.js';
import { markerAt } from './marker.js';

/** How far a statement reaches before or behind its citation, in UTF-16 code units. */
const STATEMENT_LENGTH = 1_000;

const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

/** The start of a line that says nothing yet: bullets, or the number of a list item. */
const LINE_START = /^[^\p{L}\p{N}]*(?:\p{N}{1,3}[.)][^\p{L}\p{N}]*)?$/u;
const MAX_LINE_START = 64;

/** Citations side by side that are passed over in search of the statement behind them. */
const MAX_ADJACENT = 8;

/**
 * Finds the statements that citations support while a text is written. A citation supports the statement before it; one
 * that opens a line supports the statement behind it, as do the other citations of such a line.
 */
export class Statements {
  /** Text since the last citation. */
  private sinceCitation = '';
  /** Text of the present line, up to `MAX_LINE_START` and one more. */
  private line = '';
  private lineOpensWithCitation = false;
  private statement = '';

  /** Takes the next part of the text between citations. */
  add(text: string): void {
    this.sinceCitation = (this.sinceCitation + text).slice(-STATEMENT_LENGTH);
    const newline = text.lastIndexOf('\n');
    if (newline !== -1) this.lineOpensWithCitation = false;
    const line = newline === -1 ? this.line + text : text.slice(newline + 1);
    this.line = line.slice(0, MAX_LINE_START + 1);
  }

  /**
   * The statement of a citation at this place.
   * @param text goes on behind the citation at `at`
   * @param whole whether `text` is all there will be
   * @returns undefined: more of the text is needed
   */
  next(text: string, at: number, whole: boolean): string | undefined {
    const isFirst = this.lineOpensWithCitation || this.isAtLineStart();
    const behind = isFirst ? textBehind(text, at, whole) : '';
    if (behind === undefined) return undefined;
    if (SAYS_SOMETHING.test(behind)) {
      this.lineOpensWithCitation = true;
      this.statement = sentencesOf(behind)[0]?.text ?? behind;
    } else if (SAYS_SOMETHING.test(this.sinceCitation)) {
      this.statement = sentencesOf(this.sinceCitation).at(-1)?.text ?? this.sinceCitation;
    }
    this.sinceCitation = '';
    return this.statement;
  }

  private isAtLineStart(): boolean {
    return this.line.length <= MAX_LINE_START && LINE_START.test(this.line);
  }
}

/** The text from `at` to the next bracket or line end, behind citations that follow at once; undefined: not there yet. */
function textBehind(text: string, at: number, whole: boolean): string | undefined {
  let start = at;
  for (let passed = 0; passed < MAX_ADJACENT; passed += 1) {
    while (text[start] === ' ' || text[start] === '\t') start += 1;
    if (text[start] !== '[' && text[start] !== '【') break;
    const marker = markerAt(text, start, '', whole);
    if (marker.kind === 'unfinished') return undefined;
    if (marker.kind === 'text') break;
    start += marker.length;
  }
  const behind = text.slice(start, start + STATEMENT_LENGTH);
  const end = behind.search(/[[【\n]/);
  if (end !== -1) return behind.slice(0, end);
  return whole || behind.length === STATEMENT_LENGTH ? behind : undefined;
}
