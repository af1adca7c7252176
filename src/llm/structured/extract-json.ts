import { parseJson } from '../../json/exact-json.js';
import type { CompiledSchema } from './compile-schema.js';
import { mendedJson } from './mend-json.js';

/** A JSON value found in a text. */
interface FoundJson {
  /** As `JSON.parse` reads it, for checking. */
  readonly plain: unknown;
  /** With every digit of its numbers. */
  readonly exact: unknown;
  /** The part of the text that it was read from. */
  readonly source: string;
}

const FENCE = /```[\w-]*[^\S\n]*\n([\s\S]*?)```/g;
/** Places where a value may begin; a text with more brackets than that is not an answer. */
const MAX_STARTS = 50;

/**
 * JSON values in a model's text, most probable first: the whole text, what stands in code fences, and objects and
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

/** Balanced `{...}` and `[...]` in prose, outermost first; a bracket inside a string does not count. */
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
  for (const mended of mendedJson([...fencesIn(text), text])) yield* parsed(mended);
}

export type ReadValue =
  | { readonly valid: true; readonly value: unknown; readonly text: string }
  | { readonly valid: false; readonly problems: readonly string[] };

/**
 * The first value in a model's text that is valid; otherwise what is wrong with the most probable one. What is JSON as it
 * stands is never mended.
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
