import type { CharacterSet } from './character-set.js';

export type Assertion =
  'text-start' | 'text-end' | 'line-start' | 'line-end' | 'word-boundary' | 'no-word-boundary';

/**
 * A regular expression without its notation: flags, escapes and classes are resolved into sets of characters, groups
 * and greediness are gone (only whether a text matches is asked).
 */
export type Expression =
  | { readonly kind: 'character'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly kind: 'alternatives'; readonly parts: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly part: Expression; readonly min: number; readonly max: number };

export const NOTHING: Expression = { kind: 'sequence', parts: [] };

export function character(set: CharacterSet): Expression {
  return { kind: 'character', set };
}

export function sequence(parts: readonly Expression[]): Expression {
  const flat = parts.flatMap((part) => (part.kind === 'sequence' ? part.parts : [part]));
  const [only] = flat;
  return only !== undefined && flat.length === 1 ? only : { kind: 'sequence', parts: flat };
}

export function alternatives(parts: readonly Expression[]): Expression {
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : { kind: 'alternatives', parts };
}

/** @param max Infinity for no bound. */
export function repeat(part: Expression, min: number, max: number): Expression {
  if (max === 0) return NOTHING;
  if (min === 1 && max === 1) return part;
  if (part.kind === 'sequence' && part.parts.length === 0) return NOTHING;
  // Whether an assertion holds once or often is the same, and so it is with a character that there is not.
  const isCertain = part.kind === 'assertion' || (part.kind === 'character' && part.set.length === 0);
  if (isCertain) return min === 0 ? NOTHING : part;
  const isStar = part.kind === 'repeat' && part.min === 0 && part.max === Infinity;
  return isStar ? part : { kind: 'repeat', part, min, max };
}
