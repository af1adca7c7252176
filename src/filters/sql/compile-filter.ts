import sql, { join, type Sql } from 'sql-template-tag';
import type { Literal } from '../../metadata/literal.js';
import { membershipOf, not, type Field, type Filter, type Membership, type Predicate } from '../filter.js';
import { columnPredicate } from './column-predicate.js';
import { FALSE, TRUE } from './expressions.js';
import type { PredicateUse } from './metadata-equality.js';
import { metadataPredicate } from './metadata-predicate.js';

/**
 * One SQL predicate over the row `d` of `documents`, true or false and never NULL, so that its negation keeps the
 * documents that lack a field. Keys, values and patterns are parameters.
 * @param use whether the SQL is written for an index, or for speed on rows that the statement already has.
 */
export function compileFilter(filter: Filter, use: PredicateUse = 'find'): Sql {
  switch (filter.kind) {
    case 'all':
      return joined(mergeExclusions(filter.filters), ' and ', TRUE, use);
    case 'any':
      return joined(mergeAlternatives(filter.filters), ' or ', FALSE, use);
    case 'not':
      return sql`not ${parenthesised(filter.filter, 'test')}`; // no index serves a negation
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
 * Makes equalities of one field into one membership (`a = 1 or a = 2` is `a in (1, 2)`), which is far faster in SQL.
 */
export function mergeAlternatives(filters: readonly Filter[]): readonly Filter[] {
  return merge(filters, membershipOf, (membership) => membership);
}

/** The same for `a <> 1 and a <> 2`, which is `not a in (1, 2)`. */
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
