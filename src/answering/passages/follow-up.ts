import { PassageWords } from './asked-words.js';
import type { Quotations } from './best-passages.js';
import { termsOf } from './sentences.js';

/**
 * Whether the search for a question alone gives a better answer than the search with the words of earlier questions.
 * The search for the question alone is better if only this search finds a quotation, or if its best quotation has more
 * words of the question. Words in the headings and names of the quoted document count too.
 *
 * @param alone quotations for the question
 * @param joined quotations for the question with the words of earlier questions
 */
export function standsAlone(question: string, alone: Quotations, joined: Quotations): boolean {
  return ownWordsIn(alone, question) > ownWordsIn(joined, question);
}

/** Number of the question's terms in the best quotation; -1 if there is no quotation. */
function ownWordsIn({ quotations: [best] }: Quotations, question: string): number {
  if (best === undefined) return -1;
  const words = new PassageWords({ ...best.passage.chunk, content: best.text });
  return [...termsOf(question)].filter((term) => words.has({ terms: [term], letters: term, numbers: [] }))
    .length;
}
