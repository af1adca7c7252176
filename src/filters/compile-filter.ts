import sql, { join, type Sql } from 'sql-template-tag';
import { columnPredicate } from './column-predicate.js';
import type { Filter, Predicate } from './filter.js';
import { mergeAlternatives, mergeExclusions } from './merge-memberships.js';
import type { PredicateUse } from './metadata-equality.js';
import { metadataPredicate } from './metadata-predicate.js';
import { FALSE, TRUE } from './sql-logic.js';

/**
 * One SQL predicate over the row `d` of `documents`, true or false and never NULL, so that its negation keeps the
 * documents that lack a field. Keys, values and patterns are parameters.
 * @param use the same predicate is written so that an index serves it, or so that it is tried quickly.
 */
export function compileFilter(filter: Filter, use: PredicateUse = 'find'): Sql {
  switch (filter.kind) {
    case 'all':
      return joined(mergeExclusions(filter.filters), ' and ', TRUE, use);
    case 'any':
      return joined(mergeAlternatives(filter.filters), ' or ', FALSE, use);
    case 'not':
      return sql`not ${parenthesised(filter.filter, 'test')}`; // no index finds what is not there
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
