import type { RetrievedChunk } from '../retrieval/retrieval.types.js';
import type { CompletionSourceDto } from './query-response.dto.js';

/** Maximum length of an excerpt, in UTF-16 code units. */
const MAX_EXCERPT = 300;

/** A chunk as a source of an answer: what a client needs to name it and to show how its text begins. */
export function sourceOf(chunk: RetrievedChunk): CompletionSourceDto {
  return {
    document_id: chunk.documentId,
    chunk_number: chunk.chunkNumber,
    score: chunk.isPadding ? null : chunk.score,
    filename: chunk.filename,
    page_number: chunk.pageNumber,
    is_image: chunk.imageKey !== null,
    excerpt: excerptOf(chunk),
  };
}

/** The start of the text on the page of the chunk, cut between words. */
function excerptOf({ content, overlap }: Pick<RetrievedChunk, 'content' | 'overlap'>): string {
  const text = content.slice(overlap?.length ?? 0).trim();
  if (text.length <= MAX_EXCERPT) return text;
  const words = text.slice(0, MAX_EXCERPT).replace(/\s+\S*$/, '');
  return `${words.replace(/[\uD800-\uDBFF]$/, '')}…`; // without half of a surrogate pair
}
