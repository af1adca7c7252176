import { composed } from '../json/spelling.js';
import { textDefect } from '../json/storable.js';
import type { Literal, Scalar } from '../metadata/literal.js';
import type { MetadataType } from '../metadata/metadata-type.js';
import type { Pattern } from './regex/pattern.js';

/**
 * Syntax tree of a filter. Negative operators (`$ne`, `$nin`, `$nor`, `$exists: false`) become a `not` around the
 * positive form, so that every predicate means "at least one value satisfies it". An empty `all` matches everything, an
 * empty `any` nothing.
 */
export type Filter =
  | { readonly kind: 'all'; readonly filters: readonly Filter[] }
  | { readonly kind: 'any'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | Predicate;

/**
 * A condition on one field. A field meets the condition if its value, or an element of its array value, satisfies the
 * condition.
 */
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

export type Order = 'gt' | 'gte' | 'lt' | 'lte';

/**
 * The field of a predicate: the document's file name or id, or a metadata field. `path` is the name split at its dots.
 * A top-level key equal to `name` has priority over the path.
 */
export type Field =
  | { readonly kind: 'column'; readonly column: 'filename' | 'external_id' }
  | { readonly kind: 'metadata'; readonly name: string; readonly path: readonly string[] };

export const EVERYTHING: Filter = { kind: 'all', filters: [] };

export function all(filters: readonly Filter[]): Filter {
  const [only] = filters;
  return only !== undefined && filters.length === 1 ? only : { kind: 'all', filters };
}

export function any(filters: readonly Filter[]): Filter {
  const [only] = filters;
  return only !== undefined && filters.length === 1 ? only : { kind: 'any', filters };
}

export function not(filter: Filter): Filter {
  return { kind: 'not', filter };
}

/** Returns the conjuncts of a filter, with nested `all` nodes flattened. */
export function conditionsOf(filter: Filter): readonly Exclude<Filter, { readonly kind: 'all' }>[] {
  return filter.kind === 'all' ? filter.filters.flatMap(conditionsOf) : [filter];
}

export type Membership = Extract<Filter, { readonly kind: 'in' }>;

/** Returns an `in` unchanged and an `equals` as an `in` of one value; undefined for other conditions. */
export function membershipOf(filter: Filter): Membership | undefined {
  if (filter.kind === 'in') return filter;
  return filter.kind === 'equals' ? { kind: 'in', field: filter.field, values: [filter.value] } : undefined;
}

/** Returns the field of a name in a filter. Names are compared in one spelling. */
export function fieldNamed(given: string): Field {
  const name = composed(given);
  return name === 'filename' || name === 'external_id'
    ? { kind: 'column', column: name }
    : { kind: 'metadata', name, path: name.split('.') };
}

/** In characters. */
export const MAX_NAME_LENGTH = 1_024;
export const MAX_PATH_LEVELS = 100;

/** Returns the error message for an invalid field name; undefined for a valid name. */
export function fieldNameDefect(name: string): string | undefined {
  if (name === '') return 'a field name expects at least one character, got the empty name';
  const defect = textDefect(name);
  if (defect !== undefined) return `a field name expects well-formed text, got a name with ${defect}`;
  const length = Array.from(name).length;
  if (length > MAX_NAME_LENGTH)
    return `a field name expects at most ${MAX_NAME_LENGTH} characters, got ${length}`;
  const levels = name.split('.').length;
  if (levels > MAX_PATH_LEVELS)
    return `a dotted field name expects at most ${MAX_PATH_LEVELS} levels, got ${levels}`;
  return undefined;
}
