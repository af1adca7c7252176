import { sentencesOf } from '../passages/sentences.js';
import { OPENERS, readBracket } from './marker.js';

/** Maximum length of a statement before or after its citation, in UTF-16 code units. */
const STATEMENT_LENGTH = 1_000;

const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

/** Matches a line that so far contains only bullets or a list number. */
const LINE_START = /^[^\p{L}\p{N}]*(?:\p{N}{1,3}[.)][^\p{L}\p{N}]*)?$/u;
const MAX_LINE_START = 64;

/** Maximum number of adjacent citations before the statement that they support. */
const MAX_ADJACENT = 8;

const OPENER = new RegExp(`[${OPENERS}]`, 'u');
const OPENER_OR_LINE_END = new RegExp(`[${OPENERS}\\n]`, 'u');

/**
 * Finds the statement that each citation supports, while the text arrives in pieces. A citation supports the text
 * before it. In a line that starts with a citation, all citations support the text after them.
 */
export class Statements {
  private sinceCitation = '';
  /** The first `MAX_LINE_START` + 1 characters of the current line. */
  private line = '';
  private lineOpensWithCitation = false;
  private statement = '';

  /** Appends text that is between citations. */
  add(text: string): void {
    this.sinceCitation = (this.sinceCitation + text).slice(-STATEMENT_LENGTH);
    const newline = text.lastIndexOf('\n');
    if (newline !== -1) this.lineOpensWithCitation = false;
    const line = newline === -1 ? this.line + text : text.slice(newline + 1);
    this.line = line.slice(0, MAX_LINE_START + 1);
  }

  /**
   * Returns the statement of a citation.
   *
   * @param text the answer so far
   * @param at position after the citation
   * @param whole whether `text` is complete
   * @returns the statement; undefined: more text is needed
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

/**
 * The text after the citations at `at`, up to the next bracket or the end of the line; undefined: more text is needed.
 */
function textBehind(text: string, at: number, whole: boolean): string | undefined {
  let start = at;
  for (let passed = 0; passed < MAX_ADJACENT; passed += 1) {
    while (text[start] === ' ' || text[start] === '\t') start += 1;
    if (!OPENER.test(text[start] ?? '')) break;
    const bracket = readBracket(text, start, whole);
    if (bracket.kind === 'unfinished') return undefined;
    if (bracket.kind === 'text') break;
    start += bracket.length;
  }
  const behind = text.slice(start, start + STATEMENT_LENGTH);
  const end = behind.search(OPENER_OR_LINE_END);
  if (end !== -1) return behind.slice(0, end);
  return whole || behind.length === STATEMENT_LENGTH ? behind : undefined;
}
