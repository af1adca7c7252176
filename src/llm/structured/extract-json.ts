import { parseJson } from '../../json/exact-json.js';
import type { CompiledSchema } from './compile-schema.js';
import { repairedJson } from './repair-json.js';

/** A JSON value found in a text. */
interface FoundJson {
  /** Result of `JSON.parse`, for validation. */
  readonly plain: unknown;
  /** The value with exact numbers. */
  readonly exact: unknown;
  /** The JSON text of the value. */
  readonly source: string;
}

const FENCE = /```[\w-]*[^\S\n]*\n([\s\S]*?)```/g;
/** Maximum number of candidate start positions. A text with more brackets is not an answer. */
const MAX_STARTS = 50;

/**
 * Yields JSON values in a model's text, most probable first: the whole text, the contents of code fences, and objects and
 * arrays inside prose.
 */
function* jsonIn(text: string): Generator<FoundJson> {
  for (const candidate of [text, ...fencesIn(text)]) yield* parsed(candidate);
  for (const embedded of embeddedValues(text)) yield* parsed(embedded);
}

function fencesIn(text: string): string[] {
  return Array.from(text.matchAll(FENCE), ([, inside = '']) => inside);
}

function* parsed(source: string): Generator<FoundJson> {
  const trimmed = source.trim();
  if (trimmed === '') return;
  try {
    yield { plain: JSON.parse(trimmed) as unknown, exact: parseJson(trimmed), source: trimmed };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

/** Yields balanced `{...}` and `[...]` in prose, outermost first. Ignores brackets inside strings. */
function* embeddedValues(text: string): Generator<string> {
  let starts = 0;
  for (let at = nextOpening(text, 0); at !== -1 && starts < MAX_STARTS; starts += 1) {
    const end = endOfValue(text, at);
    if (end !== -1) yield text.slice(at, end);
    at = nextOpening(text, end === -1 ? at + 1 : end);
  }
}

function nextOpening(text: string, from: number): number {
  const offset = text.slice(from).search(/[{[]/);
  return offset === -1 ? -1 : from + offset;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;
  tokens.lastIndex = start;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    if (match[0] === '{' || match[0] === '[') depth += 1;
    else if (match[0] === '}' || match[0] === ']') depth -= 1;
    if (depth === 0) return tokens.lastIndex;
  }
  return -1;
}

function* valuesIn(text: string): Generator<FoundJson> {
  let isJson = false;
  for (const found of jsonIn(text)) {
    isJson = true;
    yield found;
  }
  if (isJson) return;
  for (const repaired of repairedJson([...fencesIn(text), text])) yield* parsed(repaired);
}

export type ReadValue =
  | { readonly valid: true; readonly value: unknown; readonly text: string }
  | { readonly valid: false; readonly problems: readonly string[] };

/**
 * Returns the first valid value in a model's text, or the violations of the most probable candidate. Repairs syntax only
 * when the text contains no valid JSON.
 */
export function readValue(text: string, schema: CompiledSchema): ReadValue {
  let problems: readonly string[] | undefined;
  for (const found of valuesIn(text)) {
    const wrong = schema.problemsOf(found.plain);
    if (wrong.length === 0) return { valid: true, value: found.exact, text: found.source };
    problems ??= wrong;
  }
  return { valid: false, problems: problems ?? ['the answer is not valid JSON'] };
}
