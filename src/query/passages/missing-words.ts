import { countTokens } from '../../llm/message-tokens.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import { askedWords, type AskedWord, PassageWords } from './asked-words.js';

/** Maximum number of words to report. */
const MAX_REPORTED = 3;
/** Shorter words without a capital letter or a digit are not reported. */
const MIN_LETTERS = 4;

/** A possessive ending, and the article that French elides before a word: l'Oréal. */
const AFFIXES = /^\p{L}{1,2}['’]|['’]s$/gu;

/**
 * The words of a question that carry its meaning and occur in none of the passages, as the question writes them: names,
 * words with digits, and rare words. Only scripts that separate words have them.
 */
export function missingWords(question: string, passages: readonly RetrievedChunk[]): string[] {
  const known = passages.map((passage) => new PassageWords(passage));
  const words = askedWords(question)
    .map((word) => ({ ...word, text: question.slice(word.start, word.end).replace(AFFIXES, '') }))
    .filter(({ text, isName }) => isName || /\p{N}/u.test(text) || isRare(text))
    .filter((word) => !known.some((passage) => contains(passage, word)))
    .map(({ text }) => text);
  return [...new Set(words)].slice(0, MAX_REPORTED);
}

function contains(passage: PassageWords, word: AskedWord): boolean {
  // An elided article is in every French passage.
  const terms = word.terms.filter((term) => term.length > 1);
  return passage.has({ ...word, terms }) && passage.hasNumbers(word);
}

/** Whether a word has no token of its own in a vocabulary of 200,000, which holds the common words of many languages. */
function isRare(word: string): boolean {
  return word.length >= MIN_LETTERS && countTokens(` ${word.toLowerCase()}`) > 1;
}

/** A sentence for the answer; empty without words. */
export function missingSentence(words: readonly string[]): string {
  if (words.length === 0) return '';
  const quoted = words.map((word) => `“${word}”`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0
    ? `${last} is in none of these passages.`
    : `${quoted.join(', ')} and ${last} are in none of these passages.`;
}
