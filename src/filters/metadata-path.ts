import { isOfType, member } from './jsonpath.js';

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
const MOST_NUMBERS = 3;

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
  const exact = member(name);
  if (path.length === 1) return `!exists(@${exact})`;
  return `(!exists(@${exact}) && ${missingAfter(member(path[0] ?? ''), path, 1, 0)})`;
}

/**
 * The test of an object `@` for the path from its step `place` on.
 * @param tail leads from the object to the value before that step.
 */
function missingAfter(tail: string, path: readonly string[], place: number, numbers: number): string {
  const step = path[place];
  if (step === undefined) return `!exists(@${tail})`;
  const key = member(step);
  const value = `@${tail}`;
  const isScalar = `(${value}.type() != "object" && ${value}.type() != "array")`;
  if (!isPosition(step, numbers)) {
    const further = missingAfter(key, path, place + 1, numbers);
    return `(!exists(${value}) || ${isScalar} || exists(${value} ? (${isOfType('object')} && ${further})))`;
  }
  // An element that lacks a key that looks like a number misses nothing: the number meant a position.
  const asKey = `${isOfType('object')} && exists(@${key}) && ${missingAfter(key, path, place + 1, numbers + 1)}`;
  const asPosition = missingAfter(`${tail}[${step}]`, path, place + 1, numbers + 1);
  const tests = [
    `!exists(${value})`,
    isScalar,
    `(${isOfType('object', value)} && !exists(${value}${key}))`,
    `exists(${value} ? (${asKey}))`,
    `(${isOfType('array', value)} && ${asPosition})`,
  ];
  return `(${tests.join(' || ')})`;
}
