import sql, { join, type Sql } from 'sql-template-tag';
import { normaliseDecimal } from '../../metadata/literal.js';
import { parseIsoTime } from '../../metadata/temporal.js';
import { all, conditionsOf, type Field, type Filter, type Predicate } from '../filter.js';
import { compileFilter } from './compile-filter.js';
import { ORDER_OPERATORS } from './expressions.js';
import { isTopLevel } from './metadata-jsonpath.js';

/**
 * Returns an indexable condition that every document in the range meets. Other documents may meet the condition too, so
 * the filter must be tested as well.
 *
 * The ids are passed as an array. With a join, PostgreSQL would scan all documents first, because it underestimates the
 * cost of a jsonb filter. For an array of any length, PostgreSQL estimates ten ids, and therefore prefers this lookup
 * to every other index.
 */
export function withinRange(appId: string, range: Range): Sql {
  return sql`d.external_id = any(array(${idsWithin(appId, range)}))`;
}

/** Tests a document that the statement has already read. Selects about the same documents as {@link withinRange}. */
export function isInRange({ comparisons }: Range): Sql {
  return compileFilter(all(comparisons), 'test');
}

type Comparison = Extract<Predicate, { readonly kind: 'compares' }>;

/** Order comparisons of a filter on one field, combined with AND. */
export interface Range {
  readonly field: OrderedField;
  readonly comparisons: readonly OrderedComparison[];
}

/** Returns the ranges that every document of a filter meets. */
export function rangesOf(filter: Filter): readonly Range[] {
  const ranges = new Map<string, Range>();
  for (const comparison of conditionsOf(filter).filter(isInTable)) {
    const { field } = comparison;
    const comparisons = [...(ranges.get(field.name)?.comparisons ?? []), comparison];
    ranges.set(field.name, { field, comparisons });
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
 * Selects the ids of the tenant's documents in the range. The result may contain other documents, since the table
 * truncates texts and stores dates as numbers. A single value must meet all comparisons, as a number or as a text. In
 * an array, different elements may meet different comparisons, so only the first comparison is used.
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

/** Returns the numeric bound of a number or decimal, or of a date or date-time in seconds since 1970. */
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

/** Maximum characters of a name and of a text in the table `metadata_order`. */
const MAX_NAME_LENGTH = 200;
const MAX_TEXT_LENGTH = 100;

/** A field in the table `metadata_order`. */
type OrderedField = Extract<Field, { readonly kind: 'metadata' }>;

function isOrdered(field: Field): field is OrderedField {
  return field.kind === 'metadata' && isTopLevel(field) && Array.from(field.name).length <= MAX_NAME_LENGTH;
}

/** Truncates a text in the same way as the table. Truncation keeps the order of texts, but makes some of them equal. */
function keptText(text: string): string {
  return Array.from(text).slice(0, MAX_TEXT_LENGTH).join('');
}

/**
 * Selects the ids of the tenant's documents with a row `o` that meets the condition.
 * @param isArray whether to select rows of arrays instead of rows of single values
 */
function orderedIds(appId: string, field: OrderedField, isArray: boolean, condition: Sql): Sql {
  return sql`select o.document_id from metadata_order o where o.app_id = ${appId} and o.name = ${field.name} and o.spread = ${isArray} and ${condition}`;
}
