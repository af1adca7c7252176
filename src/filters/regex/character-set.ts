import { orbits } from '../case-folding.js';

/** Code points from `first` to `last`, both included. */
export type Range = readonly [first: number, last: number];

/** A set of characters: ranges in order, apart from each other by at least one code point. */
export type CharacterSet = readonly Range[];

export const LAST_CODE_POINT = 0x10ffff;
export const ANY_CHARACTER: CharacterSet = [[0, LAST_CODE_POINT]];

/** The union of ranges, in any order. */
export function setOf(ranges: readonly Range[]): CharacterSet {
  const merged: [number, number][] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const previous = merged.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

export function singleton(codePoint: number): CharacterSet {
  return [[codePoint, codePoint]];
}

export function complement(set: CharacterSet): CharacterSet {
  const gaps: Range[] = [];
  let next = 0;
  for (const [first, last] of set) {
    if (first > next) gaps.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= LAST_CODE_POINT) gaps.push([next, LAST_CODE_POINT]);
  return gaps;
}

export function includes(set: CharacterSet, codePoint: number): boolean {
  let low = 0;
  let high = set.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((set[middle]?.[1] ?? 0) < codePoint) low = middle + 1;
    else high = middle;
  }
  return (set[low]?.[0] ?? Infinity) <= codePoint;
}

/** The set with every character that is the same without case. */
export function withCaseVariants(set: CharacterSet): CharacterSet {
  const variants: Range[] = [];
  for (const [character, orbit] of orbits()) {
    if (includes(set, codePointOf(character))) variants.push(...orbit.map(rangeOf));
  }
  return variants.length === 0 ? set : setOf([...set, ...variants]);
}

function rangeOf(character: string): Range {
  const codePoint = codePointOf(character);
  return [codePoint, codePoint];
}

function codePointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
