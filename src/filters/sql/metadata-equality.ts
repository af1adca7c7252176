import sql, { join, type Sql } from 'sql-template-tag';
import { printJson } from '../../json/exact-json.js';
import { decimalsAmong } from '../../metadata/decimal.js';
import { isScalar, type Literal, type Scalar } from '../../metadata/literal.js';
import { parseIsoTime } from '../../metadata/temporal.js';
import { either, FALSE } from './expressions.js';
import {
  anyOf,
  isOfType,
  isTopLevel,
  missingTest,
  scalarAmong,
  valuePaths,
  type MetadataField,
} from './metadata-jsonpath.js';
import {
  asDate,
  asInstant,
  byType,
  findsAny,
  isStringTyped,
  somePasses,
  someValue,
  textOf,
  typeOf,
  valueOf,
} from './metadata-value.js';

/** `find`: written for an index; `test`: written for speed on rows that the statement already has. */
export type PredicateUse = 'find' | 'test';

/**
 * Past so many members `= any(array)`, which builds a hash table, is faster than a jsonpath, which tries one after the
 * other but is what the GIN index over the metadata serves.
 */
const MAX_MEMBERS: Readonly<Record<PredicateUse, number>> = { find: 64, test: 2 };

/** Equality with one of the values: by a jsonpath where one can express it and there are not too many. */
export function metadataIsAmong(field: MetadataField, values: readonly Literal[], use: PredicateUse): Sql {
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
 * Several scalars in a top-level field are found by the index over the hashes of the metadata: with the index over the
 * metadata PostgreSQL would recheck every hit by a jsonpath of all values. The exact test stands first, because on
 * documents that another index found it costs less than the comparison of hashes. That takes steps in
 * proportion to the values for each document, and PostgreSQL may do it for every one: longer lists do without.
 */
function findsAmong(field: MetadataField, scalars: readonly Scalar[]): Sql {
  const sought = metadataWith(field, [...scalars, ...decimalsAmong(scalars)]);
  return sql`${isAmongFew(field, scalars)} and d.metadata_hashes && hash_metadata(${sought}::jsonb)`;
}

/** Arrays are tested by a jsonpath, because a subquery would keep PostgreSQL from a parallel plan. */
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

/** jsonb equality: numbers by value, objects without key order, arrays in order. */
function equalsJson(field: MetadataField, values: readonly Literal[], use: PredicateUse): Sql {
  const exact = someValue(field, (value) => sql`${value} = any(${values.map(printJson)}::jsonb[])`);
  if (use === 'test' || !isTopLevel(field) || values.length > MAX_MEMBERS.find) return exact;
  // Containment is implied by equality, and the index serves it.
  const contained = values.flatMap((value) => [contains(field, value), contains(field, [value])]);
  return sql`(${join(contained, ' or ')}) and ${exact}`;
}

function contains(field: MetadataField, value: Literal): Sql {
  return sql`d.metadata @> ${metadataWith(field, value)}::jsonb`;
}

/** Metadata with this value only, as JSON. */
function metadataWith(field: MetadataField, value: Literal): string {
  return printJson(Object.fromEntries([[field.name, value]]));
}

/** Decimals are stored normalised, so that equal ones are equal strings. */
function decimalIsAmong(field: MetadataField, scalars: readonly Scalar[], use: PredicateUse): readonly Sql[] {
  const decimals = decimalsAmong(scalars);
  if (decimals.length === 0) return [];
  const isDecimal = isStringTyped(field, 'decimal');
  return [sql`${isOneOf(field, decimals, use)} and ${isDecimal}`];
}

/** Compared as instants, because one date-time has many spellings. */
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
