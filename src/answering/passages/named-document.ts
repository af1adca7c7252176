import { sharesStem } from './related-terms.js';
import { termsOf } from './sentences.js';

/** Minimum length of a name of one word, so that a common word is no name. */
const LEAST_NAME = 6;
/** Maximum length of words that are not counted: articles and other function words of any language are short. */
const SHORT = 3;
/** Maximum number of words besides the name, in an instruction and in a question. */
const OTHERS = { instruction: 2, question: 1 } as const;

/** A follow-up has words of earlier questions behind its question mark. */
const IS_QUESTION = /[?？؟]|;\s*$/u;
const EXTENSION = /\.[a-z\d]{2,5}$/i;

/** Whether a text has no question mark, as "Summarise the travel policy". */
export function isInstruction(question: string): boolean {
  return !IS_QUESTION.test(question);
}

/**
 * Whether a question consists of the name of a document and hardly anything else, as in "Summarise the travel policy" or
 * "Fasse die Reisekostenrichtlinie zusammen". Decides by the length and number of the other words, in any language.
 */
export function namesDocument(question: string, filename: string | null): boolean {
  const name = [...termsOf((filename ?? '').replace(EXTENSION, '').replace(/[-_.]+/g, ' '))];
  const asked = [...termsOf(question)];
  const isForm = (part: string, term: string): boolean => part === term || sharesStem(part, term);
  const isAsked = (part: string): boolean => asked.some((term) => isForm(part, term));
  if (name.length === 0 || !name.every(isAsked)) return false;
  if (name.length === 1 && name.every((part) => part.length < LEAST_NAME)) return false;
  const others = asked.filter((term) => !name.some((part) => isForm(part, term)));
  if (!isInstruction(question)) return name.length >= 2 && others.length <= OTHERS.question;
  return others.filter((term) => term.length > SHORT).length <= OTHERS.instruction;
}
