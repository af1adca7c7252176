import { endsWithSourceWord } from './marker.js';

/** Answer to a question about text that has not arrived completely. */
export type Known = 'yes' | 'no' | 'unfinished';

/** Maximum distance to the end of inline code, a formula or the address of a link, in UTF-16 code units. */
const MAX_SPAN = 500;
/** Maximum length of the kept start and the kept end of a line, in UTF-16 code units. */
const MAX_LINE = 200;
/** Maximum length of an inline span. A longer one is an opening mark without an end. */
const MAX_CONTENT = 2_000;

/** The start of a line that is a code fence, also in a quotation or a list item. */
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})/;
/** Matches a line that so far contains only indentation, bullets, a list number or marks of Markdown. */
const LINE_START = /^[^\p{L}\p{N}\p{Pi}\p{Ps}"'`]*(?:\p{N}{1,3}[.)]\s*)?[*_]*$/u;

/** Scripts without spaces: a marker may follow a word directly. */
const UNSPACED_LETTER =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const ENDS_CLAUSE = /[.!?…。！？؟।»”’」』）》%]/u;
const ENDS_WORD = /[\p{L}\p{M}\p{N}.!?…。！？؟।»”’"')」』）》%°€£$`]/u;
const SEPARATOR = /[,;、，；،&]/u;

/** An open inline span, and the end that it needs to be one. */
interface Span {
  readonly kind: 'code' | 'dollar' | 'formula' | 'link';
  readonly closer: RegExp;
  /** The text since its beginning. */
  content: string;
}

/** Words for a value that is written as numbers in brackets, and the verb after them: `the interval [1, 2]`. */
const NAMES_VALUE =
  /(?:^|\P{L})(?:interval|range|list|array|vector|tuple|matrix|intervall|bereich|liste|vektor|intervalle|plage|tableau|vecteur|intervalo|lista|rango|vetor|intervallo|vettore|интервал|диапазон|список|массив|вектор)(?: (?:is|are|ist|lautet|est|es|é|è))?$/iu;

/**
 * Reads an answer from left to right and tells where a bracket is no citation: in code, formulas, addresses of links
 * and JSON. Each question is about the position after the text that was added.
 */
export class Surroundings {
  /** The beginning and the end of the current line. */
  private head = '';
  private tail = '';
  private fence: string | null = null;
  private span: Span | null = null;
  /** The run of backticks or dollars that ends the text so far. */
  private run = '';
  private json: { depth: number; inString: boolean; escaped: boolean } | null = null;
  /** Opening brackets that begin JSON if a quotation mark follows. */
  private jsonOpening = 0;
  /** Whether the current line has only blanks so far, and whether the line before has. */
  private lineIsBlank = true;
  private previousLineIsBlank = true;
  /** The last character of the current line that is not blank. */
  private previous = '';
  private afterMarker = false;
  /** Whether the line begins with a number in brackets, as in a list of references. */
  private lineOpensWithBracket = false;
  /** Whether only separators follow a bracket that is plain text. */
  private followsBracket = false;

  add(text: string): void {
    for (const character of text) this.step(character);
  }

  addMarker(): void {
    this.endRun('[');
    this.afterMarker = true;
    this.followsBracket = false;
    this.jsonOpening = 0;
    this.previous = ']';
    this.extendLine(']');
    this.lineIsBlank = false;
  }

  /** Notes that a bracket with numbers at this position is plain text. */
  addPlainNumbers(): void {
    if (this.isAtLineStart()) this.lineOpensWithBracket = true;
    this.followsBracket = true;
  }

  /**
   * Whether the position is in code, a formula, the address of a link or JSON. Inline code, formulas and addresses need
   * an end within `MAX_SPAN`, in the same paragraph or, for an address, in the same line.
   *
   * @param following the text after the position, which begins with a bracket
   */
  isVerbatim(following: string, whole: boolean): Known {
    if (this.fence !== null || this.json !== null) return 'yes';
    if (this.fenceMark() !== undefined) return 'yes';
    this.endRun(following[0] ?? '');
    while (this.span !== null) {
      const isInside = spanReaches(this.span, following, whole);
      if (isInside !== 'no') return isInside;
      if (this.dropSpan() === 'JSON') return 'yes';
    }
    return 'no';
  }

  /** Whether the position follows an equals sign, as in an assignment of a matrix. */
  get followsEquals(): boolean {
    return !this.afterMarker && /[=∈]/.test(this.previous);
  }

  /** Whether the position follows the name of a value that several numbers in brackets may be. */
  get followsNameOfValue(): boolean {
    return !this.afterMarker && NAMES_VALUE.test(this.tail.trimEnd());
  }

  /**
   * Whether a single bracket here can cite a statement: it follows a word, a clause or another marker in the same line.
   *
   * @param blanks the blanks before the bracket
   * @param bracket the opening bracket
   */
  endsStatement(blanks: string, bracket: string): boolean {
    if (this.afterMarker) return true;
    if (this.lineOpensWithBracket || this.followsBracket || this.isAtLineStart()) return false;
    const line = this.tail.trimEnd();
    if (/[:：]/.test(this.previous)) return endsWithSourceWord(line.slice(-42, -1));
    if (blanks === '' && bracket === '[') {
      const isInAddress = /:\/\/|www\./.test(/\S*$/.exec(line)?.[0] ?? '');
      return !isInAddress && (ENDS_CLAUSE.test(this.previous) || UNSPACED_LETTER.test(this.previous));
    }
    if (/[*_~]/.test(this.previous)) return /[^\s*_~][*_~]+$/.test(line);
    return ENDS_WORD.test(this.previous);
  }

  /** Whether a label may begin directly after the text, without a blank. */
  mayPrecedeLabel(): boolean {
    return this.afterMarker || !/[\p{L}\p{N}_)\]]$/u.test(this.tail) || UNSPACED_LETTER.test(this.previous);
  }

  isAtLineStart(): boolean {
    return this.head.length < MAX_LINE && LINE_START.test(this.head);
  }

  /** Reads the text since the opening mark of the span again, as text after a mark that opens nothing. @returns what it is in */
  private dropSpan(): 'JSON' | 'text' {
    const again = new Surroundings();
    again.add(`x${this.span?.content ?? ''}`);
    this.span = again.span;
    this.run = again.run;
    this.json = again.json;
    this.endRun('[');
    return this.json === null ? 'text' : 'JSON';
  }

  private step(character: string): void {
    if (character === '\n') {
      this.endLine();
      this.extendSpan(character);
      return;
    }
    if (this.run !== '' && !this.run.startsWith(character)) this.endRun(character);
    this.extendLine(character);
    this.extendSpan(character);
    if (/\s/.test(character)) return;
    if (this.fence === null) {
      this.stepJson(character);
      if (this.json === null) this.stepSpan(character);
    }
    this.lineIsBlank = false;
    this.afterMarker &&= SEPARATOR.test(character);
    this.followsBracket &&= SEPARATOR.test(character) || /[\p{N}[\]［］【】]/u.test(character);
    this.previous = character;
  }

  private extendLine(character: string): void {
    if (this.head.length < MAX_LINE) this.head += character;
    this.tail = (this.tail + character).slice(-MAX_LINE);
  }

  private extendSpan(character: string): void {
    if (this.span === null) return;
    this.span.content += character;
    if (this.span.content.length > MAX_CONTENT) this.span = null;
  }

  /** The mark of a code fence that the current line is. Backticks later in the line make it inline code. */
  private fenceMark(): string | undefined {
    const [start, mark] = FENCE.exec(this.head) ?? [];
    return start === undefined || this.head.slice(start.length).includes('`') ? undefined : mark;
  }

  private endLine(): void {
    this.endRun('\n');
    const mark = this.fenceMark();
    if (this.fence !== null) {
      if (mark?.startsWith(this.fence) === true && /^[ \t>]*[`~]+[ \t]*$/.test(this.head)) this.fence = null;
    } else if (mark !== undefined && this.json === null) {
      this.fence = mark;
      this.span = null;
    }
    if (this.lineIsBlank || this.span?.kind === 'link') this.span = null;
    this.previousLineIsBlank = this.lineIsBlank;
    this.head = '';
    this.tail = '';
    this.lineIsBlank = true;
    this.previous = '';
    this.afterMarker = false;
    this.lineOpensWithBracket = false;
    this.followsBracket = false;
  }

  /** JSON begins with a brace or bracket before a quotation mark, and ends with its last bracket or a new paragraph. */
  private stepJson(character: string): void {
    if (this.json === null) {
      if (this.span !== null) return;
      if (character === '{' || character === '[') this.jsonOpening += 1;
      else {
        const begins = this.jsonOpening > 0 && (character === '"' || character === "'");
        if (begins) this.json = { depth: this.jsonOpening, inString: character === '"', escaped: false };
        this.jsonOpening = 0;
      }
      return;
    }
    const { json } = this;
    if (this.lineIsBlank && this.previousLineIsBlank && /\p{L}/u.test(character)) {
      this.json = null;
      return;
    }
    if (json.escaped) json.escaped = false;
    else if (json.inString) {
      if (character === '\\') json.escaped = true;
      if (character === '"') json.inString = false;
    } else if (character === '"') json.inString = true;
    else if (character === '{' || character === '[') json.depth += 1;
    else if (character === '}' || character === ']') json.depth -= 1;
    if (json.depth === 0) this.json = null;
  }

  private stepSpan(character: string): void {
    const isEscaped = this.previous === '\\' && this.tail.endsWith(`\\${character}`);
    if (character === '`' || character === '$') {
      if (!isEscaped || this.span?.kind === 'code') this.run += character;
      return;
    }
    if (this.span === null) {
      if (isEscaped && character === '(') this.open('formula', /\\\)/);
      else if (isEscaped && character === '[') this.open('formula', /\\\]/);
      else if (character === '(' && this.tail.endsWith('](')) this.open('link', /\)/);
      return;
    }
    const { kind, closer } = this.span;
    if (kind === 'link' && character === ')') this.span = null;
    else if (kind === 'formula' && isEscaped && closer.test(`\\${character}`)) this.span = null;
  }

  private open(kind: Span['kind'], closer: RegExp): void {
    this.span = { kind, closer, content: '' };
  }

  /** Decides what a run of backticks or dollars is, from the character after it. */
  private endRun(next: string): void {
    const { run, span } = this;
    if (run === '') return;
    this.run = '';
    const mark = run.startsWith('$') ? '\\$' : '`';
    const closer = new RegExp(`(?<!${mark})${mark}{${run.length}}(?!${mark})`);
    if (span === null) {
      if (mark === '`') this.open('code', closer);
      else if (run.length === 2) this.open('formula', closer);
      else if (run === '$' && /\S/.test(next)) this.open('dollar', /(?<=[^\s\\])\$(?!\d)/);
      return;
    }
    if (span.kind === 'code' || span.kind === 'formula') {
      if (span.closer.source === closer.source) this.span = null;
    } else if (span.kind === 'dollar' && run === '$') {
      if (/\S$/.test(span.content.slice(0, -1)) && !/\d/.test(next) && isFormula(span, '')) this.span = null;
      else if (/\S/.test(next)) this.open('dollar', span.closer);
    }
  }
}

/** Whether a span that is open before a text ends in that text. */
function spanReaches(span: Span, following: string, whole: boolean): Known {
  const near = following.slice(0, MAX_SPAN);
  const end = near.search(span.kind === 'link' ? /\n/ : /\n[ \t]*\n/);
  const inside = end === -1 ? near : near.slice(0, end);
  const closing = span.closer.exec(inside);
  if (closing !== null) return isFormula(span, inside.slice(0, closing.index)) ? 'yes' : 'no';
  return end === -1 && near.length < MAX_SPAN && !whole ? 'unfinished' : 'no';
}

/** Whether a span in single dollars is a formula and not text between two amounts of money. */
function isFormula({ kind, content }: Span, more: string): boolean {
  if (kind !== 'dollar') return true;
  return !/^\d/.test(content) || /[\\^_={}+*/<>]/.test(content + more);
}
