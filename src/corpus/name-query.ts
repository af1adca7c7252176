import { caseFoldingOf, caseVariants } from '../filters/case-folding.js';
import { translatePattern } from '../filters/regex/pattern.js';

/** A text that file names are searched for, in the forms that the statement needs. */
export interface NameQuery {
  /** Without case; see {@link caseFoldingOf} for the variants and their replacements. */
  readonly folded: string;
  readonly variants: string;
  readonly replacements: string;
  /** Its runs of letters, marks and digits, without case. */
  readonly words: readonly string[];
  /** What every match has somewhere: the words, or the text itself when it has none. */
  readonly parts: readonly NamePart[];
}

interface NamePart {
  readonly text: string;
  /** A LIKE pattern that every name with the part passes once its ASCII letters are in lower case. */
  readonly pattern: string;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** PostgreSQL's expression for what stands between words. */
export const WORD_SEPARATORS = translated('[^\\pL\\pM\\pN]+');

export function nameQueryOf(text: string): NameQuery {
  const { folded, variants, replacements } = caseFoldingOf(text);
  const words = folded.match(WORD) ?? [];
  const parts = words.length === 0 ? [folded] : words;
  return {
    folded,
    variants,
    replacements,
    words,
    parts: parts.map((part) => ({ text: part, pattern: likelyPattern(part) })),
  };
}

/** A character that is the same as one outside ASCII without case may stand in a name as that. */
function likelyPattern(folded: string): string {
  const characters = Array.from(folded, (character) => {
    if (caseVariants(character).some((variant) => variant > '\x7f' && variant !== character)) return '_';
    return /[%_\\]/.test(character) ? `\\${character}` : character;
  });
  return `%${characters.join('')}%`;
}

function translated(pattern: string): string {
  const translation = translatePattern(pattern, '');
  if ('are' in translation) return translation.are;
  throw new Error(translation.defect);
}
