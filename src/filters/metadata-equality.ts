import sql, { join, type Sql } from 'sql-template-tag';
import { printJson } from '../json/exact-json.js';
import { decimalsAmong } from '../metadata/decimal.js';
import { anyOf, isOfType, scalarAmong } from './jsonpath.js';
import { isScalar, type Literal, type Scalar } from '../metadata/literal.js';
import { isTopLevel, missingTest, valuePaths, type MetadataField } from './metadata-path.js';
import { findsAny, somePasses, someValue, textOf, typeOf, valueOf } from './metadata-value.js';
import { either, FALSE } from './sql-logic.js';
import { parseIsoTime } from '../metadata/temporal.js';
import { asDate, asInstant, byType, isStringTyped } from './typed-value.js';

/** To find documents, which an index can help with, or to test documents that are at hand. */
export type PredicateUse = 'find' | 'test';

/**
 * Past this many members a hash table beats a jsonpath that tries one after the other; a jsonpath is what the index over
 * the metadata serves.
 */
const MOST_ALTERNATIVES: Readonly<Record<PredicateUse, number>> = { find: 64, test: 2 };

/** Equality with one of the values: by a jsonpath where one can say it, and there are not too many. */
export function metadataIsAmong(field: MetadataField, values: readonly Literal[], use: PredicateUse): Sql {
  return use === 'find' && isSoughtByHash(field, values)
    ? findsAmong(field, values)
    : isAmong(field, values, use);
}

function isSoughtByHash(field: MetadataField, values: readonly Literal[]): values is readonly Scalar[] {
  return (
    values.length > MOST_ALTERNATIVES.test &&
    isTopLevel(field) &&
    values.every(isScalar) &&
    timeIsAmong(field, values).length === 0
  );
}

/**
 * For several scalars in a field at the top: what the index over the hashes of the metadata finds, and the test of it.
 * The index over the metadata itself would have PostgreSQL try a jsonpath of all values on whatever it finds. The test
 * comes first, because documents that another index found are cheaper to test than to compare by hashes.
 */
function findsAmong(field: MetadataField, scalars: readonly Scalar[]): Sql {
  const sought = metadataWith(field, [...scalars, ...decimalsAmong(scalars)]);
  const test =
    scalars.length > MOST_ALTERNATIVES.find ? isAmong(field, scalars, 'test') : isAmongFew(field, scalars);
  return sql`${test} and d.metadata_hashes && hash_metadata(${sought}::jsonb)`;
}

/** A few scalars are sought in arrays by a jsonpath: without a subquery several processes may share the work. */
function isAmongFew(field: MetadataField, scalars: readonly Scalar[]): Sql {
  return either([
    sql`coalesce(${valueOf(field)} = any(${scalars.map(printJson)}::jsonb[]), false)`,
    sql`${typeOf(field)} = 'array' and ${somePasses(field, scalarAmong(scalars))}`,
    ...decimalIsAmong(field, scalars, 'test'),
  ]);
}

function isAmong(field: MetadataField, values: readonly Literal[], use: PredicateUse): Sql {
  const scalars = values.filter(isScalar);
  const few = scalars.length <= MOST_ALTERNATIVES[use];
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

/** jsonb equality: numbers by value, objects without key order, arrays in order. */
function equalsJson(field: MetadataField, values: readonly Literal[], use: PredicateUse): Sql {
  const exact = someValue(field, (value) => sql`${value} = any(${values.map(printJson)}::jsonb[])`);
  if (use === 'test' || !isTopLevel(field) || values.length > MOST_ALTERNATIVES.find) return exact;
  // What equals a value contains it, and containment is what the index knows.
  const contained = values.flatMap((value) => [contains(field, value), contains(field, [value])]);
  return sql`(${join(contained, ' or ')}) and ${exact}`;
}

function contains(field: MetadataField, value: Literal): Sql {
  return sql`d.metadata @> ${metadataWith(field, value)}::jsonb`;
}

/** Metadata, as JSON, that has the value and nothing else. */
function metadataWith(field: MetadataField, value: Literal): string {
  return printJson(Object.fromEntries([[field.name, value]]));
}

/** Equal decimals are equal strings. */
function decimalIsAmong(field: MetadataField, scalars: readonly Scalar[], use: PredicateUse): readonly Sql[] {
  const decimals = decimalsAmong(scalars);
  if (decimals.length === 0) return [];
  const isDecimal = isStringTyped(field, 'decimal');
  return [sql`${isOneOf(field, decimals, use)} and ${isDecimal}`];
}

/** Dates have one spelling, date-times have many. */
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
  if (texts.length > MOST_ALTERNATIVES[use])
    return sql`coalesce(${textOf(field)} = any(${texts}::text[]), false)`;
  const exact: MetadataField = { name: field.name, path: [field.name] };
  return somePasses(exact, scalarAmong(texts));
}
