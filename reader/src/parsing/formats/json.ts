import { parse, stringify } from 'lossless-json';
import { ParseFailure } from '../parse-failure.js';
import type { Parser } from '../parser.js';

/** Maximum nesting depth. Real data is less deep, and the stack allows far more. */
const MAX_LEVELS = 512;

/** Maximum line length of formatted JSON. Longer lines indicate minified JSON. */
const MAX_LINE_LENGTH = 1_000;

/**
 * Keeps the layout of JSON, and decodes the escapes of letters and signs. Indents minified JSON, and keeps every digit of
 * its numbers.
 */
export const parseJson: Parser = ({ text, contentType }) => {
  const source = text ?? '';
  refuseDeepNesting(source);
  if (contentType === 'application/json') refuseInvalid(source);
  const isLaidOut =
    contentType === 'application/x-ndjson' ||
    !source.split('\n').some((line) => line.length > MAX_LINE_LENGTH);
  return {
    text: isLaidOut ? withoutEscapes(source) : (stringify(parse(source), undefined, 2) ?? ''),
    textType: 'application/json',
    properties: {},
  };
};

function refuseInvalid(source: string): void {
  try {
    JSON.parse(source);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw new ParseFailure(
      `The file is not valid JSON (${reason}): correct it, or name it .txt to keep it as text.`,
      {
        cause: error,
      },
    );
  }
}

function refuseDeepNesting(source: string): void {
  let levels = 0;
  for (const [token] of source.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '{' || token === '[') levels += 1;
    else if (token === '}' || token === ']') levels -= 1;
    if (levels > MAX_LEVELS) {
      throw new ParseFailure(
        `The JSON is nested more than ${MAX_LEVELS} levels deep: flatten it, or upload its text.`,
      );
    }
  }
}

/** An escape of a string (RFC 8259, section 7). A letter beyond the first plane has two escapes. */
const ESCAPE = /\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|u([0-9a-f]{4})|[\s\S])/gi;

/** Characters that stay escaped: quotation mark, backslash, control characters, halves of a pair. */
const STAYS_ESCAPED = /["\\\p{Cc}\p{Cs}\u2028\u2029]/u;

/** Writes escaped letters and signs as themselves, as most programs do. The value of the JSON stays the same. */
function withoutEscapes(source: string): string {
  if (!source.includes('\\')) return source;
  return source.replace(ESCAPE, (escape, high?: string, low?: string, single?: string) => {
    if (escape === '\\/') return '/';
    const units = [high, low, single].filter((unit) => unit !== undefined);
    const text = String.fromCharCode(...units.map((unit) => parseInt(unit, 16)));
    return text === '' || STAYS_ESCAPED.test(text) ? escape : text;
  });
}
