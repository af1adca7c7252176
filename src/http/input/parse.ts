import { Invalid, type InvalidItem, type Location } from '../../errors/index.js';
import { ExactNumber } from '../../json/exact-json.js';
import { isJsonObject } from '../../json/json-object.js';
import { textDefect } from '../../json/text-defect.js';
import { resultOf, type Parse } from './constraints.js';
import { unmet } from './exception-factory.js';

/** More levels than PostgreSQL or the printing of JSON would follow without running out of stack. */
const MAX_JSON_DEPTH = 500;

/** A string that can be stored. */
export const text: Parse = (value, loc) => {
  if (typeof value !== 'string') throw unmet(loc, 'isString');
  if (textDefect(value) !== undefined) throw unmet(loc, 'isStorable');
  return value;
};

/** One of some strings. */
export function choice(values: readonly string[]): Parse {
  return (value, loc) => {
    if (!values.includes(value as string)) throw unmet(loc, 'isIn', values);
    return value;
  };
}

/** One parse after the other. */
export function inTurn(...parses: readonly Parse[]): Parse {
  return (value, loc) => parses.reduce((last, parse) => parse(last, loc), value);
}

/** Each member of a list, all of their errors together. */
export function eachOf(parse: Parse): Parse {
  return (value, loc) => gather(Array.from(value as unknown[]).entries(), parse, loc);
}

/** Each value of an object, all of their errors together. The object stays as it is. */
export function eachValueOf(parse: Parse): Parse {
  return (value, loc) => {
    gather(Object.entries(value as object), parse, loc);
    return value;
  };
}

function gather(
  entries: Iterable<readonly [string | number, unknown]>,
  parse: Parse,
  loc: Location,
): unknown[] {
  const results = Array.from(entries, ([key, value]) => resultOf(() => parse(value, [...loc, key])));
  const items = results.flatMap((result) => (result instanceof Invalid ? result.items : []));
  if (items.length > 0) throw new Invalid(items);
  return results;
}

/** Free-form JSON that can be stored: every key and string of it, at any depth. It is the same object afterwards. */
export const storableJson: Parse = (value, loc) => {
  const items: InvalidItem[] = [];
  const rest: JsonNode[] = [{ value, depth: 0 }];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (!isStorable(node.key) || !isStorable(node.value)) {
      items.push(...unmet([...loc, ...pathOf(node)], 'isStorable').items);
    }
    if (typeof node.value !== 'object' || node.value === null || node.value instanceof ExactNumber) continue;
    const depth = node.depth + 1;
    if (depth > MAX_JSON_DEPTH) {
      throw Invalid.at(loc, `Value error, JSON must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
    }
    const members = isJsonObject(node.value)
      ? Object.entries(node.value)
      : [...(node.value as unknown[]).entries()];
    for (const [key, member] of members.reverse()) rest.push({ value: member, key, parent: node, depth });
  }
  if (items.length > 0) throw new Invalid(items);
  return value;
};

function isStorable(value: unknown): boolean {
  return typeof value !== 'string' || textDefect(value) === undefined;
}

/** A place in free-form JSON; its path is written out only when something is wrong there. */
interface JsonNode {
  readonly value: unknown;
  readonly depth: number;
  readonly key?: string | number;
  readonly parent?: JsonNode;
}

function pathOf(node: JsonNode): (string | number)[] {
  return node.parent === undefined || node.key === undefined ? [] : [...pathOf(node.parent), node.key];
}
