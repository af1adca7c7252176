import sql, { join, type Sql } from 'sql-template-tag';
import { normaliseDecimal } from '../metadata/decimal.js';
import { conditionsOf, type Filter, type Predicate } from './filter.js';
import { isOrdered, keptText, orderedIds, type OrderedField } from './ordered-field.js';
import { ORDER_OPERATORS } from './order-operators.js';
import { parseIsoTime } from '../metadata/temporal.js';

type Comparison = Extract<Predicate, { readonly kind: 'compares' }>;

/** The order comparisons of a filter on one field, all of which its documents pass. */
export interface Range {
  readonly kind: 'range';
  readonly field: OrderedField;
  readonly comparisons: readonly OrderedComparison[];
}

/** The ranges that a filter draws in fields which the table `metadata_order` knows of. */
export function rangesOf(filter: Filter): readonly Range[] {
  const ranges = new Map<string, Range>();
  for (const comparison of conditionsOf(filter).filter(isInTable)) {
    const { field } = comparison;
    const comparisons = [...(ranges.get(field.name)?.comparisons ?? []), comparison];
    ranges.set(field.name, { kind: 'range', field, comparisons });
  }
  return [...ranges.values()];
}

interface OrderedComparison extends Comparison {
  readonly field: OrderedField;
}

function isInTable(condition: Filter): condition is OrderedComparison {
  return (
    condition.kind === 'compares' && isOrdered(condition.field) && typeof condition.operand !== 'boolean'
  );
}

/**
 * Selects the ids of the tenant's documents in the range, and of some that are not (texts are kept up to 100 characters,
 * a date may lie where a number does). A single value passes all comparisons as what it is, a number or a text. Of an
 * array different elements may pass, so that only the first comparison narrows it.
 */
export function idsWithin(appId: string, { field, comparisons }: Range): Sql {
  const rows = (spread: boolean, bounds: readonly (Sql | undefined)[]): readonly Sql[] => {
    const known = bounds.filter((bound) => bound !== undefined);
    if (known.length < bounds.length) return [];
    return [orderedIds(appId, field, spread, join(known, ' and '))];
  };
  const numbers = comparisons.map(numberBound);
  const texts = comparisons.map(textBound);
  const parts = [
    ...rows(false, numbers),
    ...rows(false, texts),
    ...rows(true, numbers.slice(0, 1)),
    ...rows(true, texts.slice(0, 1)),
  ];
  return parts.length === 0 ? sql`select null::uuid as document_id where false` : join(parts, ' union all ');
}

/** For a number, and for a text that a typed value is compared with: a decimal, or an instant in seconds. */
function numberBound({ order, operand }: Comparison): Sql | undefined {
  const { sql: operator } = ORDER_OPERATORS[order];
  const number = normaliseDecimal(String(operand));
  if (number !== undefined) return sql`o.number ${operator} ${number}::numeric`;
  const time = parseIsoTime(String(operand));
  if (time === undefined) return undefined;
  return sql`o.number ${operator} extract(epoch from ${time.instant}::timestamptz)::numeric`;
}

function textBound({ order, operand }: Comparison): Sql | undefined {
  if (typeof operand !== 'string') return undefined;
  const operator = order === 'gt' || order === 'gte' ? sql`>=` : sql`<=`;
  return sql`o.text ${operator} ${keptText(operand)}::text`;
}
