import { jsonrepair, JSONRepairError } from 'jsonrepair';
import { TimeLimitExceeded, withinTime } from './time-limit.js';

const MEND_MS = 40;
const MAX_LENGTH = 256 * 1_024;
/** The library reads by recursion. */
const MAX_BRACKETS = 5_000;

/**
 * Objects and lists that are almost JSON, as JSON: trailing commas, comments, single quotes, line breaks in strings,
 * literals of Python. What is cut off is not completed, since half an answer is none.
 */
export function* mendedJson(texts: readonly string[]): Generator<string> {
  for (const text of texts) {
    const source = bracketed(text);
    const mended = source === undefined ? undefined : mend(source);
    if (mended !== undefined) yield mended;
  }
}

/** From the first bracket to the last one that closes its kind; undefined where either is missing. */
function bracketed(text: string): string | undefined {
  const start = text.search(/[{[]/);
  if (start === -1) return undefined;
  const end = text.lastIndexOf(text[start] === '{' ? '}' : ']');
  return end > start && end - start < MAX_LENGTH ? text.slice(start, end + 1) : undefined;
}

function mend(source: string): string | undefined {
  if (source.split(/[{[]/, MAX_BRACKETS + 1).length > MAX_BRACKETS) return undefined;
  try {
    return withinTime(MEND_MS, () => jsonrepair(source));
  } catch (error) {
    const isHopeless = error instanceof JSONRepairError || error instanceof RangeError;
    if (isHopeless || error instanceof TimeLimitExceeded) return undefined;
    throw error;
  }
}
