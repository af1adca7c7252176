import { all, conditionsOf, type Filter, type Predicate } from './filter.js';
import { membershipOf } from './merge-memberships.js';
import { isEqualityIndexed } from './metadata-equality.js';

/** Of the conditions that every document of the filter meets, those that lead to its documents by an index of their own. */
export function findablePart(filter: Filter): Filter {
  return all(conditionsOf(filter).filter(isFindable));
}

function isFindable(filter: Filter): boolean {
  switch (filter.kind) {
    case 'all':
      return filter.filters.some(isFindable);
    case 'any':
      return filter.filters.every(isFindable);
    case 'not':
      return false;
    default:
      return isIndexed(filter);
  }
}

function isIndexed(predicate: Predicate): boolean {
  const { field } = predicate;
  const membership = membershipOf(predicate);
  if (membership) return field.kind === 'column' || isEqualityIndexed(field, membership.values);
  return predicate.kind === 'has-element' && field.kind === 'metadata' && predicate.value !== null;
}
