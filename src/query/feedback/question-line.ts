import { printJson } from '../../json/exact-json.js';
import type { GivenFeedback } from './feedback.repository.js';

/** Members of a search that a line of a question file has too. */
const SCOPE = ['filters', 'folder_name', 'folder_depth'] as const;

/**
 * A line of the file that `lectern eval` reads: the question of a good answer, with the place that the answer cites
 * first. null: the answer cites nothing, so nothing can be expected.
 */
export function questionLine({
  question,
  evidence,
  search,
  endUserId,
}: Pick<GivenFeedback, 'question' | 'evidence' | 'search' | 'endUserId'>): string | null {
  const [cited] = evidence?.citations ?? [];
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
