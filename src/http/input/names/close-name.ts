import { distance } from 'fastest-levenshtein';

/** Names of at least this length are compared letter by letter; shorter ones are too similar to each other. */
const MIN_COMPARED = 4;

/** From this length on, two letters may differ. */
const LONG = 9;

/**
 * Returns the known name that an unknown one probably means: the same in another case, number or style (`topK`, `Filter`,
 * `folder-name`), or with a letter or two wrong.
 */
export function closeName(unknown: string, known: readonly string[]): string | undefined {
  const spelled = bare(unknown);
  const same = known.find((name) => bare(name) === spelled);
  if (same !== undefined || spelled.length < MIN_COMPARED) return same;
  return known.find((name) => {
    const other = bare(name);
    const allowed = other.length < LONG && letters(other) !== letters(spelled) ? 1 : 2;
    return other.length >= MIN_COMPARED && distance(other, spelled) <= allowed;
  });
}

/** The letters of a name in alphabetical order: the same for a name with two letters exchanged. */
function letters(name: string): string {
  return Array.from(name).sort().join('');
}

/** A name without what differs between styles and numbers. */
export function bare(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[_\-\s]/g, '')
    .replace(/s$/, '');
}
