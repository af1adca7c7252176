import { ExactNumber } from './exact-json.js';
import { isJsonObject } from './json-object.js';
import { textDefect } from './text-defect.js';

/** More levels than PostgreSQL or the printing of JSON would follow without running out of stack. */
export const MAX_JSON_DEPTH = 500;

/** Where a value stands in JSON: keys and indexes from the outside in. */
type Path = readonly (string | number)[];

/** A place in JSON; its path is written out only when something is wrong there. */
interface JsonNode {
  readonly value: unknown;
  readonly depth: number;
  readonly key?: string | number;
  readonly parent?: JsonNode;
}

/** Every place, at any depth, whose key or string cannot be stored; undefined for JSON that is nested too deep. */
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
