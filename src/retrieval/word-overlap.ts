const WORD = /[\p{L}\p{N}]{2,}/gu;

/** The different words and numbers of a text, in lower case. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(WORD));
}

/**
 * How many words two texts have in common, from 0 to 1, which is all of them: the coefficient of Dice (1945, "Measures of
 * the Amount of Ecologic Association Between Species").
 */
export function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const total = one.size + other.size;
  if (total === 0) return 0;
  const [less, more] = one.size < other.size ? [one, other] : [other, one];
  let shared = 0;
  for (const word of less) if (more.has(word)) shared += 1;
  return (2 * shared) / total;
}
