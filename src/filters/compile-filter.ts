import sql, { join, type Sql } from 'sql-template-tag';
import { columnPredicate } from './column-predicate.js';
import type { Filter, Predicate } from './filter.js';
import { mergeAlternatives, mergeExclusions } from './merge-memberships.js';
import { metadataPredicate } from './metadata-predicate.js';
import { FALSE, TRUE } from './sql-logic.js';

/**
 * One SQL predicate over the row `d` of `documents`, true or false and never NULL, so that its negation keeps the
 * documents that lack a field. Keys, values and patterns are parameters.
 */
export function compileFilter(filter: Filter): Sql {
  switch (filter.kind) {
    case 'all':
      return joined(mergeExclusions(filter.filters), ' and ', TRUE);
    case 'any':
      return joined(mergeAlternatives(filter.filters), ' or ', FALSE);
    case 'not':
      return sql`not ${parenthesised(filter.filter)}`;
    default:
      return compilePredicate(filter);
  }
}

function compilePredicate(predicate: Predicate): Sql {
  const { field } = predicate;
  return field.kind === 'column'
    ? columnPredicate(predicate, field.column)
    : metadataPredicate(predicate, field);
}

function joined(filters: readonly Filter[], operator: string, empty: Sql): Sql {
  return filters.length === 0 ? empty : join(filters.map(parenthesised), operator);
}

function parenthesised(filter: Filter): Sql {
  return sql`(${compileFilter(filter)})`;
}
