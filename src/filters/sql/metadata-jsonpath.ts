import { ExactNumber } from '../../json/exact-json.js';
import type { Scalar } from '../../metadata/literal.js';

/**
 * A metadata field: its name, and its path (the name split at its dots).
 *
 * The functions below build jsonpaths that select the field. A jsonpath is always a statement parameter, with keys and
 * values as JSON literals. Jsonpaths run in lax mode. In lax mode, as in MongoDB, a member accessor also reads the
 * objects of an array, one level deep, and a filter tests the elements of an array. Comparisons in lax mode would also
 * enter nested arrays, so the tests check the type first.
 */
export interface MetadataField {
  readonly name: string;
  readonly path: readonly string[];
}

/** Tests whether a name has no dots, so that the operators of jsonb can read the field. */
export function isTopLevel(field: MetadataField): boolean {
  return field.path.length === 1;
}

/** Matches a step that is a valid array subscript in a jsonpath. */
const ARRAY_INDEX = /^(?:0|[1-9]\d{0,8})$/;

/**
 * Maximum number of numeric steps of a path that are read both as a key and as an array position. Each such step
 * doubles the number of jsonpaths; further numeric steps are keys only.
 */
const MAX_NUMBERS = 3;

/** Returns the jsonpaths from `$` that together select every value of a field. An array is one value. */
export function valuePaths(field: MetadataField): readonly string[] {
  return readings(field).map(({ parent, tail }) => parent + tail);
}

/** Returns the {@link valuePaths} restricted to arrays. */
export function arrayPaths(field: MetadataField): readonly string[] {
  return readings(field).map((reading) => arraysOnly(reading) + reading.tail);
}

/** A jsonpath in two parts: `parent` selects objects, and `tail` selects a value of each object. */
interface Reading {
  readonly parent: string;
  readonly tail: string;
  /** Number of numeric steps so far. */
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
  // Restricted to arrays, because in lax mode `[0]` of any other value is the value itself.
  return [asKey, { parent: arraysOnly(reading), tail: `${tail}[${step}]`, numbers: numbers + 1 }];
}

function arraysOnly({ parent, tail }: Reading): string {
  return `${parent} ? (${isOfType('object')} && ${isOfType('array', `@${tail}`)})`;
}

/** @param numbers number of numeric steps before this step. */
function isPosition(step: string, numbers: number): boolean {
  return numbers < MAX_NUMBERS && ARRAY_INDEX.test(step);
}

/**
 * Returns a jsonpath test of the root `@` for a missing field. Equality with null needs this test, because null also
 * equals a missing field. A field is missing if an object lacks the key, or if the path leads through a scalar. Scalars
 * and arrays inside an array are ignored.
 */
export function missingTest({ name, path }: MetadataField): string {
  const exact = member(name);
  if (path.length === 1) return `!exists(@${exact})`;
  return `(!exists(@${exact}) && ${missingAfter(member(path[0] ?? ''), path, 1, 0)})`;
}

/**
 * Returns the test of an object `@` for the steps of the path from `place` on.
 * @param tail selects the value before that step in the object.
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
  // An array element without this key does not make the field missing, since the number may be a position.
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

/** Joins tests as a balanced tree, since PostgreSQL's parser would recurse once for each test of a chain. */
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

/** Returns a test that an item is a scalar of the operand's type and that `item operator operand` is true. */
export function scalarTest(operator: '==' | '>' | '>=' | '<' | '<=', operand: Scalar): string {
  return `${isOfType(scalarType(operand))} && @ ${operator} ${scalarLiteral(operand)}`;
}

/** Returns a test that an item is equal to one of the scalars. */
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
