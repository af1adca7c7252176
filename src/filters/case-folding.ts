/** A case-folded text, and a character mapping to apply to another text before comparing the two. */
export interface CaseFolding {
  readonly folded: string;
  /**
   * Non-ASCII characters that fold to a character of `folded`. Each of these characters is translated to the character
   * at the same index in `replacements`.
   */
  readonly variants: string;
  readonly replacements: string;
}

const CASED = /^\p{Changes_When_Casemapped}$/u;
const MAX_CASED = 0x1e943;

/**
 * Folds a text by Unicode simple case folding (CaseFolding.txt, status C and S), character by character. The variants
 * contain no ASCII letters, so the other text must have its ASCII letters in lower case.
 */
export function caseFoldingOf(text: string): CaseFolding {
  const folded = Array.from(text, (character) => foldOf(character)).join('');
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

/** Returns all characters with the same case folding, including `character`, in code point order. */
export function caseVariants(character: string): readonly string[] {
  return orbits().get(character) ?? [character];
}

export function casedCharacters(): readonly string[] {
  return [...orbits().keys()];
}

/**
 * Returns the representative of the case variants: an ASCII lower-case letter if there is one, otherwise the first
 * variant that is not an upper-case letter.
 */
function foldOf(character: string): string {
  const orbit = caseVariants(character);
  return (
    orbit.find((variant) => /^[a-z]$/.test(variant)) ??
    orbit.find((variant) => !/\p{Lu}/u.test(variant)) ??
    character
  );
}

let table: ReadonlyMap<string, readonly string[]> | undefined;

/** Returns the case variants of every cased character. Built on first use. */
function orbits(): ReadonlyMap<string, readonly string[]> {
  table ??= buildOrbits();
  return table;
}

function buildOrbits(): ReadonlyMap<string, readonly string[]> {
  const byKey = new Map<string, string[]>();
  for (let code = 0x41; code <= MAX_CASED; code += 1) {
    const character = String.fromCodePoint(code);
    if (!CASED.test(character)) continue;
    const key = keyOf(character);
    byKey.set(key, [...(byKey.get(key) ?? []), character]);
  }
  const several = [...byKey.values()].filter(({ length }) => length > 1);
  return new Map(several.flatMap((orbit) => orbit.map((character) => [character, orbit])));
}

/**
 * Returns a key that all case variants of a character share: the lower case of its upper case. A mapping to several
 * characters is ignored. The regular expression excludes ı: its upper case is I, but it does not fold to i.
 */
function keyOf(character: string): string {
  const key = mapped(mapped(character, 'toUpperCase'), 'toLowerCase');
  const isSame = new RegExp(`^\\u{${(character.codePointAt(0) ?? 0).toString(16)}}$`, 'iu').test(key);
  return isSame ? key : character;
}

function mapped(character: string, to: 'toLowerCase' | 'toUpperCase'): string {
  const result = character[to]();
  return Array.from(result).length === 1 ? result : character;
}
