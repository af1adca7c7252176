import { printJson } from './exact-json.js';

/** Matches an escaped U+0000, after an even number of backslashes. */
const NUL = /(?<!\\)((?:\\\\)*)\\u0000/g;

/** Matches half of a surrogate pair; `JSON.stringify` escapes only these surrogates. */
const HALF = /(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g;

/** Prints JSON without characters that PostgreSQL cannot store, as `storableText` does for a text. */
export function printStorable(value: unknown): string {
  const text = printJson(value);
  return text.includes('\\u') ? text.replace(NUL, '$1').replace(HALF, '$1\ufffd') : text;
}
