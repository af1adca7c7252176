import { randomUUID } from 'node:crypto';
import { ExactNumber, isCarriedByDouble } from './exact-number.js';

/** Stands in front of an exact number while it travels as a string through the built-in JSON functions. */
const MARK = `exact:${randomUUID()}:`;

/** Only a literal of 16 digits and more, or one with an exponent, can be more than a double carries. */
const SUSPECT = /[\d.]{16}|\d[eE][+-]?\d/;

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/**
 * `JSON.parse` that keeps numbers a double cannot carry as {@link ExactNumber}.
 * `__proto__` and the like are ordinary keys.
 * @throws SyntaxError as `JSON.parse` does.
 */
export function parseJson(text: string): unknown {
  if (!SUSPECT.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"') || isCarriedByDouble(token)) return token;
    return `"${MARK}${token}"`;
  });
  // Parsed as it came first, so that the position in a SyntaxError is the caller's.
  const plain: unknown = JSON.parse(text);
  if (marked === text) return plain;
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new ExactNumber(value.slice(MARK.length)) : value,
  );
}

/** `JSON.stringify` that prints {@link ExactNumber} digit by digit. */
export function printJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, member: unknown) =>
    member instanceof ExactNumber ? MARK + member.literal : member,
  );
  return text.includes(MARK) ? text.replaceAll(new RegExp(`"${MARK}([^"]*)"`, 'g'), '$1') : text;
}
