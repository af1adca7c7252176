import type { Literal, Scalar } from '../metadata/literal.js';
import type { Field } from './field.js';
import type { Pattern } from './regex/pattern.js';
import type { MetadataType } from '../metadata/metadata-type.js';

/** Order of a value relative to the operand. */
export type Order = 'gt' | 'gte' | 'lt' | 'lte';

/**
 * The immutable tree of a parsed filter, one node kind per concept. Negative operators (`$ne`, `$nin`, `$nor`,
 * `$exists: false`) are `not` around their positive form, so every predicate asks whether some value satisfies it.
 * An `all` without members matches everything, an `any` without members nothing.
 */
export type Filter =
  | { readonly kind: 'all'; readonly filters: readonly Filter[] }
  | { readonly kind: 'any'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | Predicate;

/** A statement about one field: it holds when the value, or an element of an array value, satisfies it. */
export type Predicate =
  | { readonly kind: 'equals'; readonly field: Field; readonly value: Literal }
  | { readonly kind: 'compares'; readonly field: Field; readonly order: Order; readonly operand: Scalar }
  | { readonly kind: 'in'; readonly field: Field; readonly values: readonly Literal[] }
  | { readonly kind: 'exists'; readonly field: Field }
  | { readonly kind: 'has-type'; readonly field: Field; readonly types: readonly MetadataType[] }
  | { readonly kind: 'matches'; readonly field: Field; readonly pattern: Pattern }
  | {
      readonly kind: 'contains-text';
      readonly field: Field;
      readonly text: string;
      readonly caseSensitive: boolean;
    }
  | { readonly kind: 'has-element'; readonly field: Field; readonly value: Scalar | null };

export const EVERYTHING: Filter = { kind: 'all', filters: [] };

export function all(filters: readonly Filter[]): Filter {
  const [only] = filters;
  return only !== undefined && filters.length === 1 ? only : { kind: 'all', filters };
}

export function any(filters: readonly Filter[]): Filter {
  const [only] = filters;
  return only !== undefined && filters.length === 1 ? only : { kind: 'any', filters };
}

/** The conditions all of which a document of the filter meets; none of them is an `all`. */
export function conditionsOf(filter: Filter): readonly Exclude<Filter, { readonly kind: 'all' }>[] {
  return filter.kind === 'all' ? filter.filters.flatMap(conditionsOf) : [filter];
}

export function not(filter: Filter): Filter {
  return { kind: 'not', filter };
}
