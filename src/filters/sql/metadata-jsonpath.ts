import { ExactNumber } from '../../json/exact-json.js';
import type { Scalar } from '../../metadata/literal.js';

/**
 * A place in the metadata, by name and by the name cut at its dots.
 *
 * It is reached by jsonpath text, which is always a parameter of the statement, with keys and values as JSON literals.
 * Paths run in lax mode, where a member accessor goes through the objects of an array, one level deep, and a filter
 * tests the elements of an array: MongoDB's rules. Where lax mode goes further (comparisons enter nested arrays), the
 * tests check the type first.
 */
export interface MetadataField {
  readonly name: string;
  readonly path: readonly string[];
}

/** A name without dots: the value is where jsonb operators look for it. */
export function isTopLevel(field: MetadataField): boolean {
  return field.path.length === 1;
}

/** A number that a jsonpath subscript can hold. */
const ARRAY_INDEX = /^(?:0|[1-9]\d{0,8})$/;

/** Each number in a path, key or array position, doubles the ways to read it; those after the third are keys only. */
const MAX_NUMBERS = 3;

/** The jsonpaths from `$` that together give every value of a field (an array as a whole). */
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
  /** How many numbers the path has so far. */
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
  // Lax mode wraps a value that is no array into one, where [0] must not find it.
  return [asKey, { parent: arraysOnly(reading), tail: `${tail}[${step}]`, numbers: numbers + 1 }];
}

function arraysOnly({ parent, tail }: Reading): string {
  return `${parent} ? (${isOfType('object')} && ${isOfType('array', `@${tail}`)})`;
}

/** @param numbers how many numbers come before the step. */
function isPosition(step: string, numbers: number): boolean {
  return numbers < MAX_NUMBERS && ARRAY_INDEX.test(step);
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
  // An element without such a key does not count as missing: the number may be a position.
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

function member(key: string): string {
  return `.${JSON.stringify(key)}`;
}

export function anyOf(tests: readonly string[]): string {
  return balanced(tests, '||');
}

/** Joined as a balanced tree, because PostgreSQL's parser recurses as deep as a chain is long. */
function balanced(tests: readonly string[], operator: string): string {
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  const middle = Math.ceil(tests.length / 2);
  const left = balanced(tests.slice(0, middle), operator);
  return `(${left} ${operator} ${balanced(tests.slice(middle), operator)})`;
}

export function isOfType(type: string, item = '@'): string {
  return `${item}.type() == "${type}"`;
}

/** Test of an item: a scalar of the operand's type for which `item operator operand` holds. */
export function scalarTest(operator: '==' | '>' | '>=' | '<' | '<=', operand: Scalar): string {
  return `${isOfType(scalarType(operand))} && @ ${operator} ${scalarLiteral(operand)}`;
}

/** Test of an item: equal to one of the scalars. */
export function scalarAmong(operands: readonly Scalar[]): string {
  const types = [...new Set(operands.map(scalarType))];
  return anyOf(
    types.map((type) => {
      const equal = operands.filter((operand) => scalarType(operand) === type);
      return `${isOfType(type)} && ${anyOf(equal.map((operand) => `@ == ${scalarLiteral(operand)}`))}`;
    }),
  );
}

function scalarLiteral(operand: Scalar): string {
  if (operand instanceof ExactNumber) return operand.literal;
  return JSON.stringify(operand);
}

function scalarType(operand: Scalar): string {
  return operand instanceof ExactNumber ? 'number' : typeof operand;
}
