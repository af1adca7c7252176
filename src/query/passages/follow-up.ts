import { PassageWords } from './asked-words.js';
import type { Quotations } from './best-passages.js';
import { termsOf } from './sentences.js';

/**
 * Whether a question is answered on its own, without the words of earlier questions: if only then a sentence answers it,
 * or one with more of the words of the question itself, its headings and the names of its document included.
 *
 * @param alone quotations for the question
 * @param joined quotations for the question with the words of earlier ones
 */
export function standsAlone(question: string, alone: Quotations, joined: Quotations): boolean {
  return ownWordsIn(alone, question) > ownWordsIn(joined, question);
}

/** Number of the question's terms in the best quotation; -1 without one. */
function ownWordsIn({ quotations: [best] }: Quotations, question: string): number {
  if (best === undefined) return -1;
  const words = new PassageWords({ ...best.passage.chunk, content: best.text });
  return [...termsOf(question)].filter((term) => words.has({ terms: [term], letters: term, numbers: [] }))
    .length;
}
