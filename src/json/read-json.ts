import { setImmediate } from 'node:timers/promises';
import { ExactNumber, isCarriedByDouble, setMember } from './exact-json.js';

/** Maximum depth: 500 levels of stored free-form JSON, plus the levels of the request around it. */
const MAX_DEPTH = 512;

/**
 * Maximum number of values: members, elements and the root. The number is enough for metadata with thousands of keys
 * and for the longest filter.
 */
const MAX_VALUES = 50_000;

/** Maximum length of a number in characters. */
const MAX_NUMBER_LENGTH = 1_000;

/** Maximum time in milliseconds before the parser yields to the event loop. */
const TURN_MS = 8;

/** Number of values that are read before the clock is checked, followed by the number of characters of a string. */
const VALUES_AT_ONCE = 128;
const CHARACTERS_AT_ONCE = 64 * 1_024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Matches the longest prefix of the text that can begin a number. The number is complete if the match ends with a
 * digit.
 */
const NUMBER = /^-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?)?/;
/** Matches numbers that may exceed the precision of a double. */
const SUSPECT = /[\d.]{16}|[eE]/;
const SPACES = ' \t\n\r';
const ESCAPES = '"\\/bfnrt';
const HEX = /^[\da-fA-F]$/;

/** JSON that is malformed from `position` on, counted in UTF-16 code units as by `JSON.parse`. */
export class JsonSyntaxError extends SyntaxError {
  constructor(readonly position: number) {
    super(`malformed JSON at position ${position}`);
    this.name = 'JsonSyntaxError';
  }
}

/** JSON that exceeds a limit. @param message completes the sentence "JSON must not …" */
export class JsonBoundError extends Error {
  constructor(
    message: string,
    readonly position: number,
  ) {
    super(`JSON must not ${message}`);
    this.name = 'JsonBoundError';
  }
}

/**
 * Parses untrusted JSON like `parseJson`: keeps every digit of a number, treats `__proto__` as an ordinary key, and
 * keeps the last value if a key is repeated. Yields to the event loop every few milliseconds, however long the text is.
 * @throws JsonSyntaxError, JsonBoundError
 */
export async function readJson(text: string): Promise<unknown> {
  const steps = new Reader(text).whole();
  let turnEnds = performance.now() + TURN_MS;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (performance.now() < turnEnds) continue;
    await setImmediate();
    turnEnds = performance.now() + TURN_MS;
  }
}

/** Work in steps. The event loop can run at each yield. */
type Steps<T> = Generator<void, T, void>;

/** Recursive descent parser for the grammar of RFC 8259. */
class Reader {
  private at = 0;
  private values = 0;

  constructor(private readonly text: string) {}

  *whole(): Steps<unknown> {
    const value = yield* this.value(1);
    if (this.at < this.text.length) this.fail();
    return value;
  }

  /** Reads a value and the whitespace around it. */
  private *value(depth: number): Steps<unknown> {
    yield* this.space();
    this.values += 1;
    if (this.values > MAX_VALUES) this.exceed(`have more than ${MAX_VALUES} values`);
    if (this.values % VALUES_AT_ONCE === 0) yield;
    const value = yield* this.bareValue(depth);
    yield* this.space();
    return value;
  }

  private *bareValue(depth: number): Steps<unknown> {
    switch (this.text[this.at]) {
      case '{':
        return yield* this.object(depth);
      case '[':
        return yield* this.array(depth);
      case '"':
        return yield* this.string();
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  private *object(depth: number): Steps<object> {
    const object: Record<string, unknown> = {};
    this.enter(depth);
    yield* this.space();
    if (this.took('}')) return object;
    do {
      yield* this.space();
      if (this.text[this.at] !== '"') this.fail();
      const key = yield* this.string();
      yield* this.space();
      if (!this.took(':')) this.fail();
      setMember(object, key, yield* this.value(depth + 1));
    } while (this.took(','));
    if (!this.took('}')) this.fail();
    return object;
  }

  private *array(depth: number): Steps<unknown[]> {
    const array: unknown[] = [];
    this.enter(depth);
    yield* this.space();
    if (this.took(']')) return array;
    do array.push(yield* this.value(depth + 1));
    while (this.took(','));
    if (!this.took(']')) this.fail();
    return array;
  }

  private enter(depth: number): void {
    if (depth > MAX_DEPTH) this.exceed(`be nested deeper than ${MAX_DEPTH} levels`);
    this.at += 1;
  }

  /** Reads a string. Reads a long string in pieces, so that the event loop can run between two pieces. */
  private *string(): Steps<string> {
    this.at += 1;
    let string = '';
    for (;;) {
      const start = this.at;
      this.skipCharacters(start + CHARACTERS_AT_ONCE);
      // JSON.parse returns a copy of the characters. A slice would keep the whole text in memory for as long as the
      // string exists.
      string += JSON.parse(`"${this.text.slice(start, this.at)}"`) as string;
      if (this.took('"')) return string;
      yield;
    }
  }

  /** Moves to the end of the string, or to the first character at or after `end`. */
  private skipCharacters(end: number): void {
    while (this.at < end) {
      const code = this.text.charCodeAt(this.at);
      if (code === QUOTE) return;
      if (code === BACKSLASH) this.skipEscape();
      else if (code >= 0x20) this.at += 1;
      else this.fail(); // a control character, or the end of the text (NaN)
    }
  }

  private skipEscape(): void {
    this.at += 1;
    const letter = this.text[this.at] ?? this.fail();
    if (letter !== 'u' && !ESCAPES.includes(letter)) this.fail();
    this.at += 1;
    for (let digits = letter === 'u' ? 4 : 0; digits > 0; digits -= 1) {
      if (!HEX.test(this.text[this.at] ?? '')) this.fail();
      this.at += 1;
    }
  }

  private word(word: string, value: unknown): unknown {
    const { text, at } = this;
    if (word.startsWith(text.slice(at, at + word.length))) this.at += Math.min(word.length, text.length - at);
    if (this.at - at < word.length) this.fail();
    return value;
  }

  private number(): number | ExactNumber {
    const [literal = ''] = NUMBER.exec(this.text.slice(this.at, this.at + MAX_NUMBER_LENGTH + 1)) ?? [];
    if (literal.length > MAX_NUMBER_LENGTH) {
      this.exceed(`have numbers of more than ${MAX_NUMBER_LENGTH} characters`);
    }
    this.at += literal.length;
    if (!/\d$/.test(literal)) this.fail();
    return SUSPECT.test(literal) && !isCarriedByDouble(literal) ? new ExactNumber(literal) : Number(literal);
  }

  private *space(): Steps<void> {
    for (let skipped = 1; SPACES.includes(this.text[this.at] ?? 'end'); skipped += 1) {
      this.at += 1;
      if (skipped % CHARACTERS_AT_ONCE === 0) yield;
    }
  }

  private took(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private fail(): never {
    throw new JsonSyntaxError(this.at);
  }

  private exceed(what: string): never {
    throw new JsonBoundError(what, this.at);
  }
}
