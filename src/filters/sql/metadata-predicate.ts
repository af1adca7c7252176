import sql, { type Sql } from 'sql-template-tag';
import { printJson } from '../../json/exact-json.js';
import { normaliseDecimal } from '../../metadata/decimal.js';
import type { Scalar } from '../../metadata/literal.js';
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
import { metadataIsAmong, type PredicateUse } from './metadata-equality.js';
import {
  anyOf,
  arrayPaths,
  isOfType,
  isTopLevel,
  scalarTest,
  valuePaths,
  type MetadataField,
} from './metadata-jsonpath.js';
import {
  asDate,
  asDecimal,
  asInstant,
  byType,
  findsAny,
  isStringTyped,
  somePasses,
  someText,
  textOf,
  typeOf,
  valueOf,
} from './metadata-value.js';

/** A predicate over a place in the metadata. */
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
      // A null keeps the type of its key, but has the type null itself.
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

/** `$gt`, `$gte`, `$lt` and `$lte`. A top-level scalar is compared without a jsonpath, which is faster. */
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

/** @param plain the comparison for a value of none of the types stored as strings. */
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
