import sql, { join, type Sql } from 'sql-template-tag';
import { normaliseDecimal } from './decimal.js';
import type { Filter, Predicate } from './filter.js';
import { isTopLevel } from './metadata-path.js';
import { ORDER_OPERATORS } from './order-operators.js';
import { parseIsoTime } from './temporal.js';

/** What the table `metadata_order` keeps of a key and of a text. */
const LONGEST_NAME = 200;
const KEPT_TEXT = 100;

type Comparison = Extract<Predicate, { readonly kind: 'compares' }>;

/** The order comparisons of a filter on one field, all of which its documents pass. */
export interface Range {
  readonly name: string;
  readonly comparisons: readonly IndexedComparison[];
}

/** The ranges that a filter draws in fields which the table `metadata_order` knows of. */
export function rangesOf(filter: Filter): readonly Range[] {
  const byName = new Map<string, IndexedComparison[]>();
  for (const comparison of required(filter)) {
    byName.set(comparison.field.name, [...(byName.get(comparison.field.name) ?? []), comparison]);
  }
  return [...byName].map(([name, comparisons]) => ({ name, comparisons }));
}

/**
 * A condition that every document in the range meets and that an index serves: its id is among those which the table
 * `metadata_order` has there. It leaves documents in that are not in the range (texts are kept up to 100 characters, a
 * date may lie where a number does); the filter itself decides.
 *
 * The ids are an array that is worked out once, because PostgreSQL thinks little of the cost of a filter over jsonb and
 * would read every document and join afterwards. It expects ten of them, however many there are, and prefers them to any
 * other index.
 */
export function withinRange(appId: string, range: Range): Sql {
  return sql`d.external_id = any(array(${idsWithin(appId, range)}))`;
}

export interface IndexedComparison extends Comparison {
  readonly field: Extract<Comparison['field'], { readonly kind: 'metadata' }>;
}

/** The comparisons that the table knows of, among those that every document of the filter passes. */
function required(filter: Filter): readonly IndexedComparison[] {
  if (filter.kind === 'all') return filter.filters.flatMap(required);
  return filter.kind === 'compares' && isIndexed(filter) ? [filter] : [];
}

function isIndexed(comparison: Comparison): comparison is IndexedComparison {
  const { field, operand } = comparison;
  return (
    field.kind === 'metadata' &&
    isTopLevel(field) &&
    Array.from(field.name).length <= LONGEST_NAME &&
    typeof operand !== 'boolean'
  );
}

/**
 * A single value passes all comparisons as what it is, a number or a text. Of an array different elements may pass, so
 * that only the first comparison narrows it.
 */
function idsWithin(appId: string, { name, comparisons }: Range): Sql {
  const rows = (spread: boolean, bounds: readonly (Sql | undefined)[]): readonly Sql[] => {
    const known = bounds.filter((bound) => bound !== undefined);
    if (known.length < bounds.length) return [];
    return [
      sql`select o.document_id from metadata_order o where o.app_id = ${appId} and o.name = ${name} and o.spread = ${spread} and ${join(known, ' and ')}`,
    ];
  };
  const numbers = comparisons.map(numberBound);
  const texts = comparisons.map(textBound);
  const parts = [
    ...rows(false, numbers),
    ...rows(false, texts),
    ...rows(true, numbers.slice(0, 1)),
    ...rows(true, texts.slice(0, 1)),
  ];
  return parts.length === 0 ? sql`select null::uuid where false` : join(parts, ' union all ');
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

/** What is kept of a text is never behind what is kept of a text that follows it. */
function textBound({ order, operand }: Comparison): Sql | undefined {
  if (typeof operand !== 'string') return undefined;
  const operator = order === 'gt' || order === 'gte' ? sql`>=` : sql`<=`;
  return sql`o.text ${operator} ${Array.from(operand).slice(0, KEPT_TEXT).join('')}::text`;
}
