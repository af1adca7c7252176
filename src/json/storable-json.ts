import { ExactNumber, isJsonObject } from './exact-json.js';
import { textDefect } from './text.js';

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
