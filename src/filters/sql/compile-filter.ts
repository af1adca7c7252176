import sql, { join, type Sql } from 'sql-template-tag';
import { validate as isUuid } from 'uuid';
import { missingCase } from '../../errors/index.js';
import type { Literal } from '../../metadata/literal.js';
import { type Field, type Filter, type Membership, membershipOf, not, type Predicate } from '../filter.js';
import { FALSE, textCompares, textContains, textMatches, TRUE } from './expressions.js';
import { metadataPredicate, type PredicateUse } from './metadata-predicate.js';

/**
 * Compiles a filter to a SQL predicate over the row `d` of `documents`. The result is never NULL, so that its negation
 * includes documents without the field. Keys, values and patterns are parameters.
 */
export function compileFilter(filter: Filter, use: PredicateUse = 'find'): Sql {
  switch (filter.kind) {
    case 'all':
      return joined(mergeExclusions(filter.filters), ' and ', TRUE, use);
    case 'any':
      return joined(mergeAlternatives(filter.filters), ' or ', FALSE, use);
    case 'not':
      return sql`not ${parenthesised(filter.filter, 'test')}`; // not 'find': no index supports a negation
    default:
      return compilePredicate(filter, use);
  }
}

function compilePredicate(predicate: Predicate, use: PredicateUse): Sql {
  const { field } = predicate;
  return field.kind === 'column'
    ? columnPredicate(predicate, field.column)
    : metadataPredicate(predicate, field, use);
}

function joined(filters: readonly Filter[], operator: string, empty: Sql, use: PredicateUse): Sql {
  return filters.length === 0
    ? empty
    : join(
        filters.map((each) => parenthesised(each, use)),
        operator,
      );
}

function parenthesised(filter: Filter, use: PredicateUse): Sql {
  return sql`(${compileFilter(filter, use)})`;
}

/**
 * Merges equalities of one field into a membership test, which is much faster in SQL: `a = 1 or a = 2` becomes
 * `a in (1, 2)`.
 */
export function mergeAlternatives(filters: readonly Filter[]): readonly Filter[] {
  return merge(filters, membershipOf, (membership) => membership);
}

/** Merges exclusions of one field: `a <> 1 and a <> 2` becomes `not a in (1, 2)`. */
export function mergeExclusions(filters: readonly Filter[]): readonly Filter[] {
  return merge(filters, (filter) => (filter.kind === 'not' ? membershipOf(filter.filter) : undefined), not);
}

function merge(
  filters: readonly Filter[],
  read: (filter: Filter) => Membership | undefined,
  write: (membership: Membership) => Filter,
): readonly Filter[] {
  const byField = new Map<string, { field: Field; values: Literal[] }>();
  const rest: Filter[] = [];
  for (const filter of filters) {
    const membership = read(filter);
    if (membership === undefined) {
      rest.push(filter);
      continue;
    }
    const { field, values } = membership;
    const key = field.kind === 'column' ? `column ${field.column}` : `metadata ${field.name}`;
    const group = byField.get(key);
    if (group === undefined) byField.set(key, { field, values: [...values] });
    else group.values.push(...values);
  }
  return [...[...byField.values()].map((group) => write({ kind: 'in', ...group })), ...rest];
}

type Column = 'filename' | 'external_id';

const TEXT: Readonly<Record<Column, Sql>> = {
  filename: sql`d.filename`,
  external_id: sql`d.external_id::text`,
};

/**
 * Compiles a predicate on a reserved name, which is a string column. A document without a file name lacks the field.
 */
function columnPredicate(predicate: Predicate, column: Column): Sql {
  const text = TEXT[column];
  switch (predicate.kind) {
    case 'equals':
      return isAmong(column, [predicate.value]);
    case 'in':
      return isAmong(column, predicate.values);
    case 'compares':
      return typeof predicate.operand === 'string'
        ? present(column, textCompares(text, predicate.order, predicate.operand))
        : FALSE;
    case 'exists':
      return sql`${text} is not null`;
    case 'has-type':
      return predicate.types.includes('string') ? sql`${text} is not null` : FALSE;
    case 'matches':
      return present(column, textMatches(text, predicate.pattern));
    case 'contains-text':
      return present(column, textContains(text, predicate.text, predicate.caseSensitive));
    case 'has-element':
      return FALSE;
    default:
      return missingCase(predicate);
  }
}

function isAmong(column: Column, values: readonly unknown[]): Sql {
  const strings = values.filter((value) => typeof value === 'string');
  const absent = values.includes(null) ? sql`${TEXT[column]} is null` : FALSE;
  if (column === 'external_id') {
    const ids = strings.filter((text) => isUuid(text));
    return ids.length === 0 ? absent : sql`d.external_id = any(${ids}::uuid[])`;
  }
  if (strings.length === 0) return absent;
  const found = present(column, sql`d.filename = any(${strings}::text[])`);
  return values.includes(null) ? sql`${absent} or ${found}` : found;
}

/** Makes a test false instead of NULL for a NULL column, in an indexable form. */
function present(column: Column, test: Sql): Sql {
  return sql`(${TEXT[column]} is not null and ${test})`;
}
