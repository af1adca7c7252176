import sql, { join, type Sql } from 'sql-template-tag';
import { missingCase } from '../../errors/index.js';
import { printJson } from '../../json/exact-json.js';
import {
  decimalsAmong,
  isScalar,
  type Literal,
  normaliseDecimal,
  type Scalar,
} from '../../metadata/literal.js';
import type { MetadataType } from '../../metadata/metadata-type.js';
import { parseIsoTime } from '../../metadata/temporal.js';
import type { Order, Predicate } from '../filter.js';
import {
  choose,
  either,
  FALSE,
  ORDER_OPERATORS,
  textCompares,
  textContains,
  textMatches,
} from './expressions.js';
import {
  anyOf,
  arrayPaths,
  isOfType,
  isTopLevel,
  type MetadataField,
  missingTest,
  scalarAmong,
  scalarTest,
  valuePaths,
} from './metadata-jsonpath.js';

export function metadataPredicate(
  predicate: Predicate,
  field: MetadataField,
  use: PredicateUse = 'find',
): Sql {
  switch (predicate.kind) {
    case 'equals':
      return metadataIsAmong(field, [predicate.value], use);
    case 'in':
      return metadataIsAmong(field, predicate.values, use);
    case 'compares':
      return metadataCompares(field, predicate.order, predicate.operand);
    case 'exists':
      return findsAny(valuePaths(field));
    case 'has-type':
      return either(predicate.types.map((type) => hasType(field, type)));
    case 'matches':
      return someText(field, (text) => textMatches(text, predicate.pattern));
    case 'contains-text':
      return someText(field, (text) => textContains(text, predicate.text, predicate.caseSensitive));
    case 'has-element':
      return hasElement(field, predicate.value);
    default:
      return missingCase(predicate);
  }
}

function hasElement(field: MetadataField, value: Scalar | null): Sql {
  const test = value === null ? isOfType('null') : scalarTest('==', value);
  return findsAny(arrayPaths(field).map((path) => `${path} ? (${test})`));
}

function hasType(field: MetadataField, type: MetadataType): Sql {
  switch (type) {
    case 'decimal':
    case 'date':
    case 'datetime':
      // A key with a null value keeps its declared type, but the value has the type null.
      return sql`${isStringTyped(field, type)} and ${typeOf(field)} = 'string'`;
    case 'array':
      return findsAny([`$ ? (${anyOf(valuePaths(field).map((path) => isOfType('array', path)))})`]);
    case 'string': {
      const string = somePasses(field, isOfType('string'));
      return byType(field, { decimal: FALSE, date: FALSE, datetime: FALSE, other: string });
    }
    default:
      return somePasses(field, isOfType(type));
  }
}

/** Compiles `$gt`, `$gte`, `$lt` and `$lte`. Compares a top-level scalar without a jsonpath, which is faster. */
function metadataCompares(field: MetadataField, order: Order, operand: Scalar): Sql {
  const { sql: operator, symbol } = ORDER_OPERATORS[order];
  const anywhere = somePasses(field, scalarTest(symbol, operand));
  if (typeof operand === 'boolean') return anywhere;
  const isText = typeof operand === 'string';
  if (!isTopLevel(field)) return typedCompares(field, order, operand, anywhere);
  const plainText = isText ? textCompares(textOf(field), order, operand) : FALSE;
  const strings = typedCompares(field, order, operand, plainText);
  const numbers = isText ? FALSE : sql`${valueOf(field)} ${operator} ${printJson(operand)}::jsonb`;
  return choose(typeOf(field), { number: numbers, string: strings, array: anywhere }, FALSE);
}

/**
 * Compiles the comparison by declared type.
 *
 * @param plain the comparison for keys that are not declared as a decimal, date or date-time
 */
function typedCompares(field: MetadataField, order: Order, operand: Scalar, plain: Sql): Sql {
  const { sql: operator } = ORDER_OPERATORS[order];
  const number = normaliseDecimal(String(operand));
  const time = parseIsoTime(String(operand));
  const compares = (stored: Sql, value: Sql) => sql`coalesce(${stored} ${operator} ${value}, false)`;
  return byType(field, {
    decimal: number === undefined ? FALSE : compares(asDecimal(field), sql`${number}::numeric`),
    date: time === undefined ? FALSE : compares(asDate(field), sql`${time.instant}::timestamptz`),
    datetime: time === undefined ? FALSE : compares(asInstant(field), sql`${time.instant}::timestamptz`),
    other: plain,
  });
}

/** `find`: optimised for index lookups; `test`: optimised for rows that the statement has already read. */
export type PredicateUse = 'find' | 'test';

/**
 * Maximum number of values in the jsonpath of a membership test. A jsonpath tries the values one by one, but uses the
 * GIN index over the metadata. For more values `= any(array)` is faster, since it builds a hash table.
 */
const MAX_MEMBERS: Readonly<Record<PredicateUse, number>> = { find: 64, test: 2 };

/** Compiles equality with one of the values. */
function metadataIsAmong(field: MetadataField, values: readonly Literal[], use: PredicateUse): Sql {
  return use === 'find' && usesHashes(field, values)
    ? findsAmong(field, values)
    : isAmong(field, values, use);
}

function usesHashes(field: MetadataField, values: readonly Literal[]): values is readonly Scalar[] {
  return (
    values.length > MAX_MEMBERS.test &&
    values.length <= MAX_MEMBERS.find &&
    isTopLevel(field) &&
    values.every(isScalar) &&
    timeIsAmong(field, values).length === 0
  );
}

/**
 * Looks up several scalars of a top-level field in the index over metadata hashes. With the index over the metadata
 * itself, PostgreSQL would recheck every hit with a jsonpath of all values. The exact test comes first, because it is
 * cheaper than a comparison of hashes if PostgreSQL uses another index. A comparison of hashes takes time linear in the
 * number of values for each document, so longer lists are not looked up by hashes.
 */
function findsAmong(field: MetadataField, scalars: readonly Scalar[]): Sql {
  const sought = metadataWith(field, [...scalars, ...decimalsAmong(scalars)]);
  return sql`${isAmongFew(field, scalars)} and d.metadata_hashes && hash_metadata(${sought}::jsonb)`;
}

/**
 * Tests equality with one of the scalars. Tests arrays with a jsonpath, since a subquery would prevent a parallel plan.
 */
function isAmongFew(field: MetadataField, scalars: readonly Scalar[]): Sql {
  return either([
    sql`coalesce(${valueOf(field)} = any(${scalars.map(printJson)}::jsonb[]), false)`,
    sql`${typeOf(field)} = 'array' and ${somePasses(field, scalarAmong(scalars))}`,
    ...decimalIsAmong(field, scalars, 'test'),
  ]);
}

function isAmong(field: MetadataField, values: readonly Literal[], use: PredicateUse): Sql {
  const scalars = values.filter(isScalar);
  const few = scalars.length <= MAX_MEMBERS[use];
  const containers = values.filter((value) => value !== null && !isScalar(value));
  const asJson = few ? containers : [...containers, ...scalars];
  return either([
    ...(few && scalars.length > 0 ? [somePasses(field, scalarAmong(scalars))] : []),
    ...(asJson.length > 0 ? [equalsJson(field, asJson, use)] : []),
    ...decimalIsAmong(field, scalars, use),
    ...timeIsAmong(field, scalars),
    ...(values.includes(null) ? [isNullOrMissing(field)] : []),
  ]);
}

function isNullOrMissing(field: MetadataField): Sql {
  const isNull = valuePaths(field).map((path) => `exists(${path} ? (${isOfType('null')}))`);
  return findsAny([`$ ? (${anyOf([missingTest(field), ...isNull])})`]);
}

/** Compiles jsonb equality: numbers by value, objects regardless of key order, arrays in order. */
function equalsJson(field: MetadataField, values: readonly Literal[], use: PredicateUse): Sql {
  const exact = someValue(field, (value) => sql`${value} = any(${values.map(printJson)}::jsonb[])`);
  if (use === 'test' || !isTopLevel(field) || values.length > MAX_MEMBERS.find) return exact;
  // Equality implies containment, which the index supports.
  const contained = values.flatMap((value) => [contains(field, value), contains(field, [value])]);
  return sql`(${join(contained, ' or ')}) and ${exact}`;
}

function contains(field: MetadataField, value: Literal): Sql {
  return sql`d.metadata @> ${metadataWith(field, value)}::jsonb`;
}

function metadataWith(field: MetadataField, value: Literal): string {
  return printJson(Object.fromEntries([[field.name, value]]));
}

/** Compares decimals as strings, because they are stored in a normal form. */
function decimalIsAmong(field: MetadataField, scalars: readonly Scalar[], use: PredicateUse): readonly Sql[] {
  const decimals = decimalsAmong(scalars);
  if (decimals.length === 0) return [];
  const isDecimal = isStringTyped(field, 'decimal');
  return [sql`${isOneOf(field, decimals, use)} and ${isDecimal}`];
}

/** Compares dates and date-times as instants, because an instant has several notations. */
function timeIsAmong(field: MetadataField, scalars: readonly Scalar[]): readonly Sql[] {
  const times = scalars.map((scalar) => parseIsoTime(String(scalar)));
  const instants = times.filter((time) => time !== undefined).map((time) => time.instant);
  if (instants.length === 0) return [];
  const among = (stored: Sql) => sql`coalesce(${stored} = any(${instants}::timestamptz[]), false)`;
  return [
    byType(field, {
      decimal: FALSE,
      date: among(asDate(field)),
      datetime: among(asInstant(field)),
      other: FALSE,
    }),
  ];
}

function isOneOf(field: MetadataField, texts: readonly string[], use: PredicateUse): Sql {
  if (texts.length > MAX_MEMBERS[use]) return sql`coalesce(${textOf(field)} = any(${texts}::text[]), false)`;
  const exact: MetadataField = { name: field.name, path: [field.name] };
  return somePasses(exact, scalarAmong(texts));
}

/** Returns the value under the exact name of the field; NULL if missing. */
export function valueOf(field: MetadataField): Sql {
  return sql`(d.metadata -> ${field.name}::text)`;
}

/** Returns the value under the exact name as text, a string without its quotes; NULL if missing. */
export function textOf(field: MetadataField): Sql {
  return sql`(d.metadata ->> ${field.name}::text)`;
}

/** Returns the JSON type of the value under the exact name; NULL if missing. */
export function typeOf(field: MetadataField): Sql {
  return sql`jsonb_typeof(d.metadata -> ${field.name}::text)`;
}

/** Tests whether one of the paths matches. Lax paths raise no errors, so that the result is never NULL. */
export function findsAny(paths: readonly string[]): Sql {
  const [only = ''] = paths;
  const path = paths.length === 1 ? only : `$ ? (${anyOf(paths.map((each) => `exists(${each})`))})`;
  return sql`d.metadata @? ${path}::jsonpath`;
}

/** Tests values and array elements with a jsonpath test of `@`. Uses the index over the metadata. */
export function somePasses(field: MetadataField, test: string): Sql {
  return findsAny(valuePaths(field).map((path) => `${path} ? (${test})`));
}

/**
 * Tests strings, also in arrays, with a SQL test that jsonpath cannot express.
 * @param test test of a text expression; may return NULL for a NULL text.
 */
export function someText(field: MetadataField, test: (text: Sql) => Sql): Sql {
  const element = test(sql`(v #>> '{}')`);
  if (!isTopLevel(field)) {
    const strings = valuePaths(field).map((path) => `${path} ? (${isOfType('string')})`);
    return someFound(strings, element);
  }
  const value = valueOf(field);
  const elements = sql`exists (select from jsonb_array_elements(${value}) as v where jsonb_typeof(v) = 'string' and ${element})`;
  return choose(typeOf(field), { string: test(textOf(field)), array: elements }, FALSE);
}

/**
 * Tests values and array elements with a SQL test of jsonb that jsonpath cannot express.
 * @param test test of a jsonb expression; may return NULL for a NULL value.
 */
export function someValue(field: MetadataField, test: (value: Sql) => Sql): Sql {
  const element = test(sql`v`);
  if (!isTopLevel(field)) {
    return someFound(
      valuePaths(field).flatMap((path) => [path, `${path}[*]`]),
      element,
    );
  }
  const value = valueOf(field);
  const elements = sql`exists (select from jsonb_array_elements(${value}) as v where ${element})`;
  return choose(
    typeOf(field),
    { array: sql`${test(value)} or ${elements}` },
    sql`coalesce(${test(value)}, false)`,
  );
}

function someFound(paths: readonly string[], test: Sql): Sql {
  return sql`exists (select from unnest(${paths}::jsonpath[]) as path cross join lateral jsonb_path_query(d.metadata, path) as v where ${test})`;
}

/**
 * One test for each declared type that is stored as a string (decimal, date, date-time), and one for all other values.
 * Values of these types were validated when they were written, so a cast after the type test cannot fail. The type test
 * is a CASE, because PostgreSQL may evaluate the operands of AND in any order.
 */
export interface TypedTests {
  readonly decimal: Sql;
  readonly date: Sql;
  readonly datetime: Sql;
  readonly other: Sql;
}

export function byType(field: MetadataField, tests: TypedTests): Sql {
  const { other, ...typed } = tests;
  return choose(declaredType(field), typed, other);
}

export function isStringTyped(field: MetadataField, type: MetadataType): Sql {
  return sql`coalesce(${declaredType(field)} = ${type}::text, false)`;
}

export function asDecimal(field: MetadataField): Sql {
  return sql`${textOf(field)}::numeric`;
}

/** Returns a date as an instant: midnight UTC. */
export function asDate(field: MetadataField): Sql {
  return sql`(${textOf(field)} || ' UTC')::timestamptz`;
}

/** Returns a date-time as an instant. A missing offset means UTC, regardless of the session's time zone. */
export function asInstant(field: MetadataField): Sql {
  const text = textOf(field);
  return sql`(${text} || case when substr(${text}, 11) ~ '[-+Zz]' then '' else ' UTC' end)::timestamptz`;
}

function declaredType(field: MetadataField): Sql {
  return sql`d.metadata_types ->> ${field.name}::text`;
}
