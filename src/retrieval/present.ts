import type { ChunkRow } from '../chunks/chunk.js';
import { NO_CONTEXT } from '../lexical/chunk-context.js';
import type { PageRow } from '../chunks/page.js';
import { isPage, type Match } from './matches.js';
import type { RetrievedChunk } from './retrieval.types.js';

/** How a match or a neighbour of one counts. */
type Rank = Pick<RetrievedChunk, 'score' | 'isPadding'>;

export const PADDING: Rank = { score: 0, isPadding: true };

/** A match as results show it, with the parts of its score where they were asked for. */
export function presentMatch(match: Match, explain = false): RetrievedChunk {
  const { score, score_parts: scoreParts } = match;
  const rank = { score, isPadding: false };
  const presented = isPage(match) ? presentPage(match, rank) : presentChunk(match, rank);
  return { ...presented, ...(explain && scoreParts !== undefined ? { scoreParts } : {}) };
}

/** A text chunk as results show it: document metadata, overlaid with what is known of the chunk. */
export function presentChunk(chunk: ChunkRow, rank: Rank): RetrievedChunk {
  const { content, context, filename, page_number: pageNumber } = chunk;
  return {
    documentId: chunk.document_id,
    chunkNumber: chunk.chunk_number,
    content,
    context,
    ...rank,
    metadata: {
      ...metadataOf(chunk),
      ...chunk.chunk_metadata,
      is_image: false,
      ...(pageNumber === null ? {} : { page_number: pageNumber }),
      start_offset: chunk.start_offset,
      end_offset: chunk.end_offset,
    },
    contentType: chunk.content_type,
    filename,
    downloadUrl: null,
    pageNumber,
    imageKey: null,
  };
}

/** The image of a page, with its text for its content. */
export function presentPage(page: PageRow, rank: Rank): RetrievedChunk {
  const { content, filename, page_number: pageNumber } = page;
  return {
    documentId: page.document_id,
    chunkNumber: pageNumber - 1,
    content,
    context: NO_CONTEXT,
    ...rank,
    metadata: { ...metadataOf(page), is_image: true, page_number: pageNumber },
    contentType: 'image/png',
    filename,
    downloadUrl: null,
    pageNumber,
    imageKey: page.object_key,
  };
}

function metadataOf({
  document_id: id,
  document_metadata: metadata,
  folder_path: folder,
}: ChunkRow | PageRow): Record<string, unknown> {
  return { ...metadata, external_id: id, folder_name: folder };
}
