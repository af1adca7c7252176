/** A value that was read leniently, as JSON text, and the position after it. */
export interface LenientJson {
  readonly json: string;
  readonly end: number;
}

/** Counts the steps of reading, so that hostile text cannot block the event loop. One step reads one character. */
export class Steps {
  constructor(private left: number) {}

  /** @throws TooManySteps */
  take(count = 1): void {
    this.left -= count;
    if (this.left < 0) throw new TooManySteps();
  }
}

export class TooManySteps extends Error {}

class NotJson extends Error {}

/** Maximum nesting of brackets. */
const MAX_DEPTH = 200;

const CLOSING_QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '„': '“',
  '‘': '’',
};
const LITERALS: Readonly<Record<string, string>> = {
  true: 'true',
  false: 'false',
  null: 'null',
  True: 'true',
  False: 'false',
  None: 'null',
  undefined: 'null',
};
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const LOOSE_NUMBER = /^\+?(-?)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/;

/**
 * Reads an object or array that is almost JSON, and changes only its syntax: trailing and missing commas, comments,
 * other quotation marks, line breaks in strings, literals of Python, names without quotation marks, a missing last
 * bracket. A backslash that begins no valid escape is a backslash, and an apostrophe in a string is an apostrophe. Does
 * not complete a string that is cut off. Takes steps in proportion to the length of the text.
 *
 * @param at position of the opening bracket
 * @returns null if the text is not almost JSON
 * @throws TooManySteps
 */
export function readLeniently(text: string, at: number, steps: Steps): LenientJson | null {
  for (const quoteMayFollowBackslash of [false, true]) {
    const reader = new LenientReader(text, at, steps, quoteMayFollowBackslash);
    try {
      const json = reader.value(0);
      return { json, end: reader.at };
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
    }
  }
  return null;
}

class LenientReader {
  constructor(
    private readonly text: string,
    public at: number,
    private readonly steps: Steps,
    /** Whether `\"` before a bracket or comma is a backslash at the end of a string, as in `"C:\dir\"`. */
    private readonly quoteMayFollowBackslash: boolean,
  ) {}

  value(depth: number): string {
    if (depth > MAX_DEPTH) throw new NotJson();
    const first = this.peek();
    if (first === '{') return this.object(depth);
    if (first === '[') return this.array(depth);
    return first in CLOSING_QUOTES ? this.string() : this.word();
  }

  private object(depth: number): string {
    this.skip(1);
    const members: string[] = [];
    for (;;) {
      this.skipSeparators();
      if (this.closes('}')) return `{${members.join(',')}}`;
      const first = this.peek();
      const name = first in CLOSING_QUOTES ? this.string() : this.name();
      this.skipSpace();
      if (this.peek() !== ':') throw new NotJson();
      this.skip(1);
      this.skipSpace();
      members.push(`${name}:${this.value(depth + 1)}`);
    }
  }

  private array(depth: number): string {
    this.skip(1);
    const items: string[] = [];
    for (;;) {
      this.skipSeparators();
      if (this.closes(']')) return `[${items.join(',')}]`;
      items.push(this.value(depth + 1));
    }
  }

  /** Whether the value ends here: with its bracket, with the bracket around it, or with the text after a bracket. */
  private closes(bracket: '}' | ']'): boolean {
    const next = this.peek();
    if (next === bracket) {
      this.skip(1);
      return true;
    }
    return next === '}' || next === ']' || (next === '' && /[}\]]\s*$/.test(this.text.slice(-64)));
  }

  private string(): string {
    const closing = CLOSING_QUOTES[this.peek()] ?? '"';
    const content: string[] = [];
    let start = this.at + 1;
    this.skip(1);
    let hasStray = false;
    for (;;) {
      SPECIAL.lastIndex = this.at;
      const special = SPECIAL.exec(this.text);
      if (special === null) throw new NotJson();
      const [character] = special;
      this.skip(special.index + 1 - this.at);
      if (character === '\\') {
        content.push(this.text.slice(start, this.at - 1));
        const [escape, isStray] = this.escape(closing);
        hasStray ||= isStray;
        content.push(escape);
        start = this.at;
        if (escape !== END_OF_STRING) continue;
        content.pop();
        content.push('\\\\');
        return this.quoted(content, hasStray);
      }
      if (character === closing && this.endsString()) {
        content.push(this.text.slice(start, this.at - 1));
        return this.quoted(content, hasStray);
      }
      if (character === '"' || character < ' ') {
        content.push(this.text.slice(start, this.at - 1), JSON.stringify(character).slice(1, -1));
        start = this.at;
      }
    }
  }

  /**
   * Joins the pieces of a string. A backslash that begins no escape, as in `C:\proj\new`, shows that the writer does
   * not escape backslashes. Then `\n` before a lower-case letter is no line break either.
   */
  private quoted(pieces: readonly string[], hasStray: boolean): string {
    const literal = (piece: string, next = ''): string =>
      /^\\[bfnrt]$/.test(piece) && /^\p{Ll}/u.test(next) ? `\\${piece}` : piece;
    const written = hasStray ? pieces.map((piece, index) => literal(piece, pieces[index + 1])) : pieces;
    return `"${written.join('')}"`;
  }

  /** Reads what follows a backslash. @returns JSON text, and whether the backslash begins no escape */
  private escape(closing: string): readonly [json: string, isStray: boolean] {
    const next = this.text[this.at] ?? '';
    if (next === '"' || next === closing) {
      this.skip(1);
      const isEnd = this.quoteMayFollowBackslash && next === closing && this.endsString();
      if (isEnd) return [END_OF_STRING, true];
      return [next === '"' ? '\\"' : next, false];
    }
    if (next === "'" || next === '`') {
      this.skip(1);
      return [next, false];
    }
    if (next !== '' && '\\/bfnrt'.includes(next)) {
      this.skip(1);
      return [`\\${next}`, false];
    }
    const code = this.text.slice(this.at, this.at + 5);
    if (/^u[\da-fA-F]{4}$/.test(code)) {
      this.skip(5);
      return [`\\${code}`, false];
    }
    if (next === '\n') {
      this.skip(1);
      return ['\\n', false];
    }
    return ['\\\\', true];
  }

  /** Whether a quotation mark before the position ends its string, by what follows. */
  private endsString(): boolean {
    let at = this.at;
    const skipBlanks = (): void => {
      while (/\s/.test(this.text[at] ?? '')) at += 1;
    };
    skipBlanks();
    this.steps.take(at - this.at + 1);
    const next = this.text[at] ?? '';
    if (next === '' || ':}]'.includes(next)) return true;
    if (next === '/' && /[/*]/.test(this.text[at + 1] ?? '')) return true;
    const isNextLine = this.text.slice(this.at, at).includes('\n');
    if (next !== ',') return isNextLine && /["'“‘{[]/.test(next);
    at += 1;
    const comma = at;
    skipBlanks();
    this.steps.take(at - comma + 1);
    const word = /^[\p{L}_$][\w$]*/u.exec(this.text.slice(at, at + 64))?.[0];
    if (word === undefined) return true;
    return word in LITERALS || /^\s*:/.test(this.text.slice(at + word.length, at + word.length + 8));
  }

  /** A name of a member without quotation marks. */
  private name(): string {
    const name = /^[\p{L}_$][\p{L}\p{N}_$-]*/u.exec(this.text.slice(this.at, this.at + 256))?.[0];
    if (name === undefined) throw new NotJson();
    this.skip(name.length);
    return JSON.stringify(name);
  }

  /** A number, a literal, or text without quotation marks up to a comma, bracket or line end. */
  private word(): string {
    const start = this.at;
    while (this.at < this.text.length && !/[,{}[\]\n"]/.test(this.text[this.at] ?? '')) {
      if (this.text.startsWith('//', this.at) || this.text.startsWith('/*', this.at)) break;
      this.skip(1);
    }
    const word = this.text.slice(start, this.at).trim();
    if (word === '') throw new NotJson();
    if (NUMBER.test(word)) return word;
    if (Object.hasOwn(LITERALS, word)) return LITERALS[word] ?? 'null';
    const [, sign = '', whole = '', fraction = '', exponent = ''] = LOOSE_NUMBER.exec(word) ?? [];
    if (whole + fraction === '' || /^0\d/.test(whole)) return JSON.stringify(word);
    return `${sign}${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}${exponent}`;
  }

  private skipSeparators(): void {
    for (;;) {
      this.skipSpace();
      if (this.peek() === ',') this.skip(1);
      else if (this.text.startsWith('...', this.at)) this.skip(3);
      else return;
    }
  }

  private skipSpace(): void {
    for (;;) {
      if (/\s/.test(this.peek())) this.skip(1);
      else if (this.text.startsWith('//', this.at)) this.skipTo('\n');
      else if (this.text.startsWith('/*', this.at)) this.skipTo('*/');
      else return;
    }
  }

  private skipTo(end: string): void {
    const found = this.text.indexOf(end, this.at);
    this.skip((found === -1 ? this.text.length : found + end.length) - this.at);
  }

  private peek(): string {
    return this.text[this.at] ?? '';
  }

  private skip(count: number): void {
    this.steps.take(count);
    this.at += count;
  }
}

/** Matches a character of a string that is not copied as it is. */
const SPECIAL = /["'`”“’\\\p{Cc}]/gu;

const END_OF_STRING = '\0';
