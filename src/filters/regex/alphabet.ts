import type { CharacterSet } from './character-set.js';

/**
 * The smallest alphabet that tells the sets apart: characters that lie in the same sets are one letter.
 * @returns for each set the letters it consists of.
 */
export function alphabetOf(sets: readonly CharacterSet[]): readonly (readonly number[])[] {
  // Repetitions use one set many times; its text is long for a class such as `\pL`.
  const texts = new Map([...new Set(sets)].map((set) => [set, set.join(' ')]));
  const keys = sets.map((set) => texts.get(set) ?? '');
  const distinct = new Map(keys.map((key, index) => [key, sets[index] ?? []]));
  const bounds = boundsOf(distinct.values());
  const place = new Map(bounds.map((bound, index) => [bound, index]));
  // Letters of the segments between bounds; each set splits those that it holds in part.
  const letters = bounds.map(() => 0);
  let next = 1;
  for (const set of distinct.values()) {
    const split = new Map<number, number>();
    for (const segment of segmentsOf(set, place)) {
      const before = letters[segment] ?? 0;
      const after = split.get(before) ?? next++;
      split.set(before, after);
      letters[segment] = after;
    }
  }
  const lettersOf = new Map(
    [...distinct].map(([key, set]) => [
      key,
      new Set([...segmentsOf(set, place)].map((segment) => letters[segment] ?? 0)),
    ]),
  );
  return keys.map((key) => [...(lettersOf.get(key) ?? [])]);
}

/** Where a range starts, and where the next character after one is. */
function boundsOf(sets: Iterable<CharacterSet>): readonly number[] {
  const bounds = new Set<number>();
  for (const set of sets) {
    for (const [first, last] of set) bounds.add(first).add(last + 1);
  }
  return [...bounds].sort((a, b) => a - b);
}

/** The segments that a set consists of; the place of a bound is the segment that starts there. */
function* segmentsOf(set: CharacterSet, place: ReadonlyMap<number, number>): Iterable<number> {
  for (const [first, last] of set) {
    const end = place.get(last + 1) ?? 0;
    for (let segment = place.get(first) ?? 0; segment < end; segment += 1) yield segment;
  }
}
