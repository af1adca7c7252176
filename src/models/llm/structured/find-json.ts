import { parseJson } from '../../../json/exact-json.js';
import type { CompiledSchema } from './compile-schema.js';
import { readLeniently, Steps, TooManySteps } from './lenient-json.js';

interface FoundJson {
  /** Result of `JSON.parse`, for validation. */
  readonly plain: unknown;
  /** The value with exact numbers. */
  readonly exact: unknown;
  readonly source: string;
}

/** A value in a text; null: text that begins like an object or array and cannot be read. */
interface Segment {
  readonly start: number;
  readonly found: FoundJson | null;
}

export type ReadValue =
  | { readonly valid: true; readonly value: unknown; readonly text: string }
  | { readonly valid: false; readonly problems: readonly string[] };

/** Maximum number of brackets that are tried as the start of a value. A text with more brackets is not an answer. */
const MAX_STARTS = 50;
/** Maximum number of steps to read one answer. An answer of 100 KB takes less than half of them. */
const MAX_STEPS = 500_000;

/**
 * Returns the last value in a model's text that is valid against a schema: a model gives drafts and examples before its
 * answer. The values are the whole text, the contents of code fences, and objects and arrays in prose. Values that are
 * almost JSON are repaired. If no value is valid, or an unreadable value follows the last valid one, returns the
 * violations.
 */
export function readValue(text: string, schema: CompiledSchema): ReadValue {
  const whole = parsed(text);
  const segments = whole === null ? segmentsOf(text) : [{ start: 0, found: whole }];
  let problems: readonly string[] | undefined;
  for (const { found } of segments.reverse()) {
    const wrong = found === null ? [NOT_JSON] : schema.problemsOf(found.plain);
    if (found !== null && wrong.length === 0) return { valid: true, value: found.exact, text: found.source };
    problems ??= wrong;
    if (found === null) break;
  }
  return { valid: false, problems: problems ?? [NOT_JSON] };
}

const NOT_JSON = 'the answer is not valid JSON';

function parsed(source: string): FoundJson | null {
  const trimmed = source.trim();
  if (trimmed === '') return null;
  try {
    return { plain: JSON.parse(trimmed) as unknown, exact: parseJson(trimmed), source: trimmed };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * The arguments of a function call as JSON: unchanged if they are JSON or cannot be repaired, `{}` if they are empty.
 */
export function repairedObject(text: string): string {
  if (text.trim() === '') return '{}';
  if (parsed(text) !== null) return text;
  const [segment, ...others] = segmentsOf(text);
  return segment === undefined || others.length > 0 ? text : (segment.found?.source ?? text);
}

function segmentsOf(text: string): Segment[] {
  const steps = new Steps(MAX_STEPS);
  try {
    const embedded = [...embeddedValues(text, steps)];
    const scalars = Array.from(text.matchAll(FENCE)).flatMap(({ index, 1: inside = '' }): Segment[] => {
      const found = /[{[]/.test(inside) ? null : parsed(inside);
      return found === null ? [] : [{ start: index, found }];
    });
    return [...embedded, ...scalars].sort((a, b) => a.start - b.start);
  } catch (error) {
    if (error instanceof TooManySteps) return [];
    throw error;
  }
}

const FENCE = /```[\w-]*[^\S\n]*\n([^]*?)```/g;

/** Matches the beginning of an object or array that is almost JSON, unlike a bracket in prose. */
const BEGINS_JSON = /^(?:\{\s*(?:[}"'“‘`]|\/[/*]|[\p{L}_$][\w$-]*\s*:)|\[\s*(?:["'“‘`{[\]]|-?\d))/u;
/** Matches the next place after an unreadable value where another value may begin. */
const NEXT_VALUE = /\n[{[]|```/g;

/** Yields objects and arrays in prose, outermost first. */
function* embeddedValues(text: string, steps: Steps): Generator<Segment> {
  let at = nextOpening(text, 0);
  for (let starts = 0; at !== -1 && starts < MAX_STARTS; starts += 1) {
    const end = endOfValue(text, at, steps);
    const strict = end === -1 ? null : parsed(text.slice(at, end));
    if (strict !== null) {
      yield { start: at, found: strict };
      at = nextOpening(text, end);
      continue;
    }
    if (!BEGINS_JSON.test(text.slice(at, at + 256))) {
      at = nextOpening(text, at + 1);
      continue;
    }
    const lenient = readLeniently(text, at, steps);
    const found = lenient === null ? null : parsed(lenient.json);
    yield { start: at, found };
    NEXT_VALUE.lastIndex = at + 1;
    const next = lenient?.end ?? NEXT_VALUE.exec(text)?.index ?? text.length;
    at = nextOpening(text, next);
  }
}

function nextOpening(text: string, from: number): number {
  const offset = text.slice(from).search(/[{[]/);
  return offset === -1 ? -1 : from + offset;
}

/** End of the balanced value at `start`; -1 if it has none. Ignores brackets in strings. */
function endOfValue(text: string, start: number, steps: Steps): number {
  let depth = 0;
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;
  tokens.lastIndex = start;
  let read = start;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    steps.take(tokens.lastIndex - read);
    read = tokens.lastIndex;
    if (match[0] === '{' || match[0] === '[') depth += 1;
    else if (match[0] === '}' || match[0] === ']') depth -= 1;
    if (depth === 0) return tokens.lastIndex;
  }
  return -1;
}
