/** Text with its case folded, and what must be done to another text to compare it without case. */
export interface CaseFolding {
  readonly folded: string;
  /** Characters outside ASCII that stand for a character of the text; each maps to the replacement at its place. */
  readonly variants: string;
  readonly replacements: string;
}

const CASED = /^\p{Changes_When_Casemapped}$/u;
const LAST_CASED = 0x1e943;

/**
 * Folds a text by Unicode simple case folding (CaseFolding.txt, status C and S), one character to one character.
 * The variants of its characters are meant for a text whose ASCII letters are in lower case already.
 */
export function caseFoldingOf(text: string): CaseFolding {
  const folded = Array.from(text, (character) => folds(character)).join('');
  let variants = '';
  let replacements = '';
  for (const character of new Set(folded)) {
    for (const variant of caseVariants(character)) {
      if (variant === character || variant <= '\x7f') continue;
      variants += variant;
      replacements += character;
    }
  }
  return { folded, variants, replacements };
}

/** All characters that are the same without case, itself included, in code point order. */
export function caseVariants(character: string): readonly string[] {
  return orbits().get(character) ?? [character];
}

/** The first of the orbit in lower case, preferably ASCII. */
function folds(character: string): string {
  const orbit = caseVariants(character);
  return (
    orbit.find((variant) => /^[a-z]$/.test(variant)) ??
    orbit.find((variant) => !/\p{Lu}/u.test(variant)) ??
    character
  );
}

let table: ReadonlyMap<string, readonly string[]> | undefined;

/** Every character that has a case, with all characters that are the same without it; made when first asked for. */
function orbits(): ReadonlyMap<string, readonly string[]> {
  table ??= buildOrbits();
  return table;
}

function buildOrbits(): ReadonlyMap<string, readonly string[]> {
  const neighbours = new Map<string, Set<string>>();
  for (let code = 0x41; code <= LAST_CASED; code += 1) {
    const character = String.fromCodePoint(code);
    if (!CASED.test(character)) continue;
    for (const mapped of [character.toLowerCase(), character.toUpperCase()]) {
      if (mapped === character || !isSameWithoutCase(character, mapped)) continue;
      link(character, mapped);
      link(mapped, character);
    }
  }
  return new Map([...neighbours.keys()].map((character) => [character, reachable(character)]));

  function link(from: string, to: string): void {
    neighbours.set(from, (neighbours.get(from) ?? new Set()).add(to));
  }

  function reachable(start: string): readonly string[] {
    const found = new Set([start]);
    for (const character of found) neighbours.get(character)?.forEach((next) => found.add(next));
    return [...found].sort();
  }
}

/** The engine's own simple case folding decides: upper case of ı is I, but they do not fold together. */
function isSameWithoutCase(character: string, mapped: string): boolean {
  if (Array.from(mapped).length !== 1) return false;
  return new RegExp(`^\\u{${(character.codePointAt(0) ?? 0).toString(16)}}$`, 'iu').test(mapped);
}
