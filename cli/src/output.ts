/**
 * Characters that a terminal obeys instead of showing them: control characters except tab and line feed, and those that
 * turn the direction of the text around them.
 */
const OBEYED = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Control pictures: U+241B for the escape character U+001B. */
const PICTURES = 0x2400;
const DELETE = 0x7f;

/** Returns a text whose characters a terminal shows. Names and texts of documents may contain escape sequences. */
export function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(OBEYED, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(PICTURES + code);
    return code === DELETE ? '\u2421' : '\ufffd';
  });
}

/** Prints a line to the standard output. */
export function print(text: string): void {
  console.log(plain(text));
}

/** Prints a line to the standard error. */
export function printError(text: string): void {
  console.error(plain(text));
}

/** Prints a part of a line to the standard output. */
export function printPart(text: string): void {
  process.stdout.write(plain(text));
}

/** Prints JSON with the characters that a terminal obeys as escapes. */
export function printJson(value: unknown, indent = 0): void {
  console.log(
    JSON.stringify(value, null, indent).replaceAll(
      OBEYED,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
}
