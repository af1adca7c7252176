import sql, { type Sql } from 'sql-template-tag';
import { printJson } from '../json/exact-json.js';
import { normaliseDecimal } from '../metadata/decimal.js';
import type { Order } from './filter.js';
import { scalarTest } from './jsonpath.js';
import type { Scalar } from '../metadata/literal.js';
import { isTopLevel, type MetadataField } from './metadata-path.js';
import { somePasses, textOf, typeOf, valueOf } from './metadata-value.js';
import { ORDER_OPERATORS } from './order-operators.js';
import { choose, FALSE } from './sql-logic.js';
import { parseIsoTime } from '../metadata/temporal.js';
import { textCompares } from './text-predicate.js';
import { asDate, asDecimal, asInstant, byType } from './typed-value.js';

/** `$gt` and the like over a place in the metadata. A plain scalar is looked at without a jsonpath, which is faster. */
export function metadataCompares(field: MetadataField, order: Order, operand: Scalar): Sql {
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

/** @param plain the comparison for a value that is what it is stored as. */
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
