/** Walks through a pattern from its start to its end. */
export class PatternReader {
  private position = 0;

  constructor(private readonly pattern: string) {}

  atEnd(): boolean {
    return this.position >= this.pattern.length;
  }

  isAt(text: string): boolean {
    return this.pattern.startsWith(text, this.position);
  }

  /** Goes past `text` when it stands here. */
  takeString(text: string): boolean {
    const found = this.isAt(text);
    if (found) this.position += text.length;
    return found;
  }

  take(character: string): boolean {
    return this.takeString(character);
  }

  /** Goes past what an expression anchored with `^` finds here. */
  takeMatch(expression: RegExp): RegExpExecArray | undefined {
    const match = expression.exec(this.pattern.slice(this.position));
    if (match === null) return undefined;
    this.position += match[0].length;
    return match;
  }

  /** Goes past one character, and gives its code point. */
  takeCodePoint(): number {
    const codePoint = this.pattern.codePointAt(this.position) ?? 0;
    this.position += codePoint > 0xffff ? 2 : 1;
    return codePoint;
  }

  /** Goes past a quotation, up to and with its `\E` or the end of the pattern. */
  takeQuoted(): number[] {
    const end = this.pattern.indexOf('\\E', this.position);
    const quoted = this.pattern.slice(this.position, end < 0 ? undefined : end);
    this.position = end < 0 ? this.pattern.length : end + 2;
    return Array.from(quoted, (character) => character.codePointAt(0) ?? 0);
  }
}
