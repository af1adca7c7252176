import { printJson, ExactNumber, isJsonObject } from './exact-json.js';

/**
 * Names the first character in a text that PostgreSQL cannot store. Returns undefined if PostgreSQL can store the text.
 */
export function textDefect(text: string): string | undefined {
  if (text.includes('\0')) return 'U+0000';
  if (!text.isWellFormed()) return 'a lone surrogate';
  return undefined;
}

/** Removes characters that PostgreSQL cannot store: U+0000, which models sometimes write, and lone surrogates. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** Matches an escaped U+0000, after an even number of backslashes. */
const NUL = /(?<!\\)((?:\\\\)*)\\u0000/g;

/** Matches half of a surrogate pair; `JSON.stringify` escapes only these surrogates. */
const HALF = /(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g;

/** Prints JSON without characters that PostgreSQL cannot store, as `storableText` does for a text. */
export function printStorable(value: unknown): string {
  const text = printJson(value);
  return text.includes('\\u') ? text.replace(NUL, '$1').replace(HALF, '$1\ufffd') : text;
}

/** Maximum depth that PostgreSQL and JSON.stringify handle without a stack overflow. */
export const MAX_JSON_DEPTH = 500;

/** Location of a value in JSON: keys and indexes from the root. */
type Path = readonly (string | number)[];

/** A node of JSON with a link to its parent. If the node has a defect, its path is built from these links. */
interface JsonNode {
  readonly value: unknown;
  readonly depth: number;
  readonly key?: string | number;
  readonly parent?: JsonNode;
}

/**
 * Returns the paths of all keys and strings that cannot be stored. Returns undefined if the JSON is nested too deeply.
 */
export function unstorablePlaces(value: unknown): Path[] | undefined {
  const places: Path[] = [];
  const rest: JsonNode[] = [{ value, depth: 0 }];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (!isStorable(node.key) || !isStorable(node.value)) places.push(pathOf(node));
    if (typeof node.value !== 'object' || node.value === null || node.value instanceof ExactNumber) continue;
    const depth = node.depth + 1;
    if (depth > MAX_JSON_DEPTH) return undefined;
    const members = isJsonObject(node.value)
      ? Object.entries(node.value)
      : [...(node.value as unknown[]).entries()];
    for (const [key, member] of members.reverse()) rest.push({ value: member, key, parent: node, depth });
  }
  return places;
}

function isStorable(value: unknown): boolean {
  return typeof value !== 'string' || textDefect(value) === undefined;
}

function pathOf(node: JsonNode): Path {
  return node.parent === undefined || node.key === undefined ? [] : [...pathOf(node.parent), node.key];
}
