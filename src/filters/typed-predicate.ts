import sql, { type Sql } from 'sql-template-tag';
import { normaliseDecimal } from './decimal.js';
import type { Order } from './filter.js';
import type { Scalar } from './literal.js';
import type { MetadataField } from './metadata-path.js';
import { ORDER_OPERATORS } from './order-operators.js';
import { FALSE } from './sql-constants.js';
import { parseIsoTime } from './temporal.js';

/**
 * What the declared type of a top-level key adds: decimals, dates and date-times are stored as strings and compare as
 * what they are. `metadata_types` names such a type only for a value that was checked when it was written, which is
 * why the casts here cannot fail; they stand in a CASE because nothing else orders their evaluation.
 */

/** @param plain the same comparison of the stored JSON value, for every other type. */
export function typedCompares(field: MetadataField, order: Order, operand: Scalar, plain: Sql): Sql {
  if (typeof operand === 'boolean') return plain;
  const operator = ORDER_OPERATORS[order].sql;
  const decimal = normaliseDecimal(String(operand));
  const time = typeof operand === 'string' ? parseIsoTime(operand) : undefined;
  const asDecimal =
    decimal === undefined
      ? FALSE
      : sql`coalesce(${stored(field)}::numeric ${operator} ${decimal}::numeric, false)`;
  const asTime =
    time === undefined
      ? FALSE
      : sql`coalesce(${instant(field)} ${operator} ${time.instant}::timestamptz, false)`;
  return byType(field, asDecimal, asTime, plain);
}

/** The alternatives by which a typed value equals one of the scalars without being the same JSON. */
export function typedIsAmong(field: MetadataField, scalars: readonly Scalar[]): readonly Sql[] {
  const decimals: string[] = [];
  const instants: string[] = [];
  for (const scalar of scalars) {
    if (typeof scalar === 'boolean') continue;
    const decimal = normaliseDecimal(String(scalar));
    if (decimal !== undefined) decimals.push(decimal);
    const time = typeof scalar === 'string' ? parseIsoTime(scalar) : undefined;
    if (time !== undefined) instants.push(time.instant);
  }
  const asDecimal = decimals.length === 0 ? FALSE : sql`${stored(field)} = any(${decimals}::text[])`;
  const asTime = instants.length === 0 ? FALSE : sql`${instant(field)} = any(${instants}::timestamptz[])`;
  if (asDecimal === FALSE && asTime === FALSE) return [];
  return [sql`coalesce(${byType(field, asDecimal, asTime, FALSE)}, false)`];
}

/** `plain`, but false for a value whose string stands for a decimal, a date or a date-time. */
export function untyped(field: MetadataField, plain: Sql): Sql {
  return byType(field, FALSE, FALSE, plain);
}

function byType(field: MetadataField, decimal: Sql, time: Sql, plain: Sql): Sql {
  return sql`case d.metadata_types ->> ${field.name}::text when 'decimal' then ${decimal} when 'date' then ${time} when 'datetime' then ${time} else ${plain} end`;
}

function stored(field: MetadataField): Sql {
  return sql`(d.metadata ->> ${field.name}::text)`;
}

/** No offset is UTC, whatever the time zone of the session; a date is its midnight. */
function instant(field: MetadataField): Sql {
  const text = stored(field);
  return sql`(${text} || case when substr(${text}, 11) ~ '[-+Zz]' then '' else ' UTC' end)::timestamptz`;
}
