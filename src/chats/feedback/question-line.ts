import { printJson } from '../../json/exact-json.js';
import type { GivenFeedback } from './feedback.repository.js';

/** Search options that a line of a question file can contain. */
const SCOPE = ['filters', 'folder_name', 'folder_depth'] as const;

/**
 * Converts a well-rated answer to a line of a question file for `lectern eval`. The line contains the question, and the
 * first citation of the answer as the expected result. Returns null for an answer without citations that the reader may
 * read.
 */
export function questionLine({
  question,
  evidence,
  search,
  endUserId,
}: Pick<GivenFeedback, 'question' | 'evidence' | 'search' | 'endUserId'>): string | null {
  const cited = evidence?.citations.find(({ withheld }) => withheld !== true);
  if (cited === undefined) return null;
  const { document_id: document, page_number: page, quote } = cited;
  return printJson({
    question: evidence?.searched ?? question,
    ...Object.fromEntries(SCOPE.flatMap((name) => (name in search ? [[name, search[name]]] : []))),
    ...(endUserId === null ? {} : { end_user_id: endUserId }),
    document,
    ...(page === null ? {} : { page }),
    ...(quote === null || quote === '' ? {} : { quote }),
  });
}
