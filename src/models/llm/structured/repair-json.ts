import { jsonrepair, JSONRepairError } from 'jsonrepair';
import { TimeLimitExceeded, withinTime } from './time-limit.js';

const REPAIR_MS = 40;
const MAX_LENGTH = 256 * 1_024;
/** Maximum number of brackets. This number limits the nesting depth, because jsonrepair parses recursively. */
const MAX_BRACKETS = 5_000;

/**
 * Repairs the syntax of objects and arrays that are almost JSON: trailing commas, comments, single quotes, line breaks
 * in strings, Python literals. Does not complete truncated values.
 */
export function* repairedJson(texts: readonly string[]): Generator<string> {
  for (const text of texts) {
    const source = bracketed(text);
    const repaired = source === undefined ? undefined : repair(source);
    if (repaired !== undefined) yield repaired;
  }
}

/** Returns the text from the first opening bracket to the last closing bracket of the same kind. */
function bracketed(text: string): string | undefined {
  const start = text.search(/[{[]/);
  if (start === -1) return undefined;
  const end = text.lastIndexOf(text[start] === '{' ? '}' : ']');
  return end > start && end - start < MAX_LENGTH ? text.slice(start, end + 1) : undefined;
}

function repair(source: string): string | undefined {
  if (source.split(/[{[]/, MAX_BRACKETS + 1).length > MAX_BRACKETS) return undefined;
  try {
    return withinTime(REPAIR_MS, () => jsonrepair(source));
  } catch (error) {
    const isUnrepairable = error instanceof JSONRepairError || error instanceof RangeError;
    if (isUnrepairable || error instanceof TimeLimitExceeded) return undefined;
    throw error;
  }
}
