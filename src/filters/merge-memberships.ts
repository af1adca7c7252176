import type { Field } from './field.js';
import { not, type Filter } from './filter.js';
import type { Literal } from '../metadata/literal.js';

/**
 * Alternatives in which several look for values in one field become one look-up (`a = 1 or a = 2` is `a in (1, 2)`):
 * programs write filters so, and one look-up in many values is far quicker than many look-ups.
 */
export function mergeAlternatives(filters: readonly Filter[]): readonly Filter[] {
  return merge(filters, membershipOf, (membership) => membership);
}

/** The same for `a <> 1 and a <> 2`. */
export function mergeExclusions(filters: readonly Filter[]): readonly Filter[] {
  return merge(filters, (filter) => (filter.kind === 'not' ? membershipOf(filter.filter) : undefined), not);
}

type Membership = Extract<Filter, { kind: 'in' }>;

/** What looks for values in a field, be it one; undefined for other conditions. */
export function membershipOf(filter: Filter): Membership | undefined {
  if (filter.kind === 'in') return filter;
  return filter.kind === 'equals' ? { kind: 'in', field: filter.field, values: [filter.value] } : undefined;
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
