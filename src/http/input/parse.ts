import type { Settings } from '../../config/settings.js';
import { Invalid, type InvalidItem, type Location } from '../../errors/index.js';
import { ExactNumber } from '../../json/exact-number.js';
import { isJsonObject, isStorable, isStorableText, type Check } from './check.js';
import type { Parse, Type } from './field.js';
import { itemsOf, readInput } from './read-input.js';

/** More levels than PostgreSQL or the printing of JSON would follow without running out of stack. */
const MAX_JSON_DEPTH = 500;

/** Each member of a list, all of their errors together. */
export function eachOf(parse: Parse): Parse {
  return (value, loc, settings) => gather(Array.from(value as unknown[]).entries(), parse, loc, settings);
}

/** Each value of an object, all of their errors together; keys stay as they are. */
export function eachValueOf(parse: Parse): Parse {
  return (value, loc, settings) => {
    const entries = Object.entries(value as Record<string, unknown>);
    gather(entries, parse, loc, settings);
    return value;
  };
}

/** A value that has to pass some checks. */
export function checked(...checks: readonly Check[]): Parse {
  return (value, loc) => {
    const failed = checks.find((check) => !check.holds(value));
    if (failed !== undefined) throw Invalid.at(loc, failed.msg, failed.type);
    return value;
  };
}

/** An object of a class with field decorators. */
export function nested(type: () => Type): Parse {
  return (value, loc, settings) => readInput(type(), value, loc, settings);
}

/** One parse after the other. */
export function inTurn(...parses: readonly Parse[]): Parse {
  return (value, loc, settings) => parses.reduce((last, parse) => parse(last, loc, settings), value);
}

/** A number as a double. Digits beyond a double do not matter where numbers are thresholds and counts. */
export const asDouble: Parse = (value) => {
  if (!(value instanceof ExactNumber)) return value;
  const number = Number(value.literal);
  return Number.isFinite(number) ? number : Math.sign(number) * Number.MAX_VALUE;
};

/** Free-form JSON that can be stored: every key and string of it, at any depth. */
export const asStorableJson: Parse = (value, loc) => {
  const items: InvalidItem[] = [];
  const rest: JsonNode[] = [{ value, depth: 0 }];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (!isStorableText(node.key) || !isStorableText(node.value)) {
      items.push({ loc: [...loc, ...pathOf(node)], msg: isStorable.msg, type: isStorable.type });
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

function gather(
  entries: Iterable<readonly [string | number, unknown]>,
  parse: Parse,
  loc: Location,
  settings: Settings,
): unknown[] {
  const results: unknown[] = [];
  const items: InvalidItem[] = [];
  for (const [key, value] of entries) {
    items.push(...itemsOf(() => results.push(parse(value, [...loc, key], settings))));
  }
  if (items.length > 0) throw new Invalid(items);
  return results;
}
