import type { Citation, Source } from '../types.js';

/** A piece of an answer: text, or a citation in place of its marker. */
export type AnswerPart = string | Citation;

/** Splits the text of an answer at its citations. */
export function partsOf(text: string, citations: readonly Citation[]): AnswerPart[] {
  const parts: AnswerPart[] = [];
  let end = 0;
  for (const citation of citations.toSorted((one, other) => one.start - other.start)) {
    if (citation.start > end) parts.push(text.slice(end, citation.start));
    parts.push(citation);
    end = citation.end;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Index of the source of a citation; -1 if it is not in the list. */
export function citedSource(citation: Citation, sources: readonly Source[]): number {
  return sources.findIndex(
    ({ document_id: id, chunk_number: chunk }) =>
      id === citation.document_id && chunk === citation.chunk_number,
  );
}
