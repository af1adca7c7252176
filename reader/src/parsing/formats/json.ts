import { parse, stringify } from 'lossless-json';
import { ParseFailure } from '../parse-failure.js';
import type { Parser } from '../parser.js';

/** Maximum nesting depth. Real data is less deep, and the stack allows far more. */
const MAX_LEVELS = 512;

/** Maximum line length of formatted JSON. Longer lines indicate minified JSON. */
const MAX_LINE_LENGTH = 1_000;

/** Keeps the layout of JSON. Indents minified JSON, and keeps every digit of its numbers. */
export const parseJson: Parser = ({ text, contentType }) => {
  const source = text ?? '';
  refuseDeepNesting(source);
  if (contentType === 'application/json') refuseInvalid(source);
  const isLaidOut =
    contentType === 'application/x-ndjson' ||
    !source.split('\n').some((line) => line.length > MAX_LINE_LENGTH);
  return {
    text: isLaidOut ? source : (stringify(parse(source), undefined, 2) ?? ''),
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
