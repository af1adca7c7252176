import { anyOf, isOfType, member } from './jsonpath.js';

/** A place in the metadata, by name and by the name cut at its dots. */
export interface MetadataField {
  readonly name: string;
  readonly path: readonly string[];
}

/** A name without dots: the value is where jsonb operators look for it. */
export function isTopLevel(field: MetadataField): boolean {
  return field.path.length === 1;
}

/** What fits the subscript of a jsonpath. */
const ARRAY_INDEX = /^(?:0|[1-9]\d{0,8})$/;

/** Each number in a path doubles the ways to read it; the numbers after so many are keys only. */
const MOST_NUMBERS = 4;

/**
 * The ways to reach the values of a field, as jsonpath expressions that start at `$`. Together they give every value
 * there is (an array as a whole).
 */
export function valuePaths(field: MetadataField): readonly string[] {
  return readings(field).map(({ parent, tail }) => parent + tail);
}

/** As {@link valuePaths}, but only the values that are arrays. */
export function arrayPaths(field: MetadataField): readonly string[] {
  return readings(field).map((reading) => arraysOnly(reading) + reading.tail);
}

/** A selector cut in two: `parent` gives objects, `tail` leads from one of them to one value. */
interface Reading {
  readonly parent: string;
  readonly tail: string;
  /** How many numbers are on the way. */
  readonly numbers: number;
}

function readings({ name, path }: MetadataField): readonly Reading[] {
  const [first = '', ...rest] = path;
  const exact = { parent: '$', tail: member(name), numbers: 0 };
  if (rest.length === 0) return [exact];
  const root = `$ ? (!exists(@${exact.tail}))`;
  let all: readonly Reading[] = [{ parent: root, tail: member(first), numbers: 0 }];
  for (const step of rest) all = all.flatMap((reading) => extended(reading, step));
  return [exact, ...all];
}

function extended(reading: Reading, step: string): readonly Reading[] {
  const { parent, tail, numbers } = reading;
  const asKey = { parent: parent + tail, tail: member(step), numbers: numbers + 1 };
  if (!isPosition(step, numbers)) return [{ ...asKey, numbers }];
  // Lax mode takes what is not an array for an array of one: [0] must be kept from it.
  return [asKey, { parent: arraysOnly(reading), tail: `${tail}[${step}]`, numbers: numbers + 1 }];
}

function arraysOnly({ parent, tail }: Reading): string {
  return `${parent} ? (${isOfType('object')} && ${isOfType('array', `@${tail}`)})`;
}

/** @param numbers how many numbers come before the step. */
function isPosition(step: string, numbers: number): boolean {
  return numbers < MOST_NUMBERS && ARRAY_INDEX.test(step);
}

/**
 * The jsonpath test of the root `@` that holds when the field is missing somewhere on its way, which is what equality
 * with null asks beside null itself: an object without the key, or a scalar where the path goes on. Scalars and
 * arrays among the elements of an array are passed over.
 */
export function missingTest({ name, path }: MetadataField): string {
  const [first = '', ...rest] = path;
  if (rest.length === 0) return `!exists(@${member(name)})`;
  return `(!exists(@${member(name)}) && ${missingAfter(member(first), rest, 0)})`;
}

function missingAfter(tail: string, rest: readonly string[], numbers: number): string {
  const [step, ...further] = rest;
  if (step === undefined) return `!exists(@${tail})`;
  const key = member(step);
  const tests = [`!exists(@${tail})`, `(@${tail}.type() != "object" && @${tail}.type() != "array")`];
  if (isPosition(step, numbers)) {
    // An element that lacks a key that looks like a number misses nothing: the number meant a position.
    tests.push(
      `exists(@${tail} ? (${isOfType('object')} && exists(@${key}) && ${missingAfter(key, further, numbers + 1)}))`,
      `(${isOfType('object', `@${tail}`)} && !exists(@${tail}${key}))`,
      `(${isOfType('array', `@${tail}`)} && ${missingAfter(`${tail}[${step}]`, further, numbers + 1)})`,
    );
  } else {
    tests.push(`exists(@${tail} ? (${isOfType('object')} && ${missingAfter(key, further, numbers)}))`);
  }
  return anyOf(tests);
}
