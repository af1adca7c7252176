import { all, EVERYTHING, type Filter, type Predicate } from './filter.js';
import { isEqualityIndexed } from './metadata-equality.js';

/** Of the conditions that every document of the filter meets, those that lead to its documents by an index of their own. */
export function findablePart(filter: Filter): Filter {
  if (filter.kind === 'all')
    return all(filter.filters.map(findablePart).filter((part) => part !== EVERYTHING));
  return isFindable(filter) ? filter : EVERYTHING;
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
  switch (predicate.kind) {
    case 'equals':
      return field.kind === 'column' || isEqualityIndexed(field, [predicate.value]);
    case 'in':
      return field.kind === 'column' || isEqualityIndexed(field, predicate.values);
    case 'has-element':
      return field.kind === 'metadata' && predicate.value !== null;
    default:
      return false;
  }
}
