import type { FoundChunk } from '../chunks/chunk.js';
import { NO_CONTEXT } from '../lexical/chunk-context.js';
import type { FoundPage } from '../chunks/page.js';
import { isPage, type Match } from './fuse.js';
import type { RetrievedChunk } from './retrieval.types.js';

/** How a match or a neighbour of one counts. */
type Rank = Pick<RetrievedChunk, 'score' | 'isPadding'>;

export const PADDING: Rank = { score: 0, isPadding: true };

/** A match as results show it, with the parts of its score where they were asked for. */
export function presentMatch(match: Match, explain = false): RetrievedChunk {
  const { score, scoreParts } = match;
  const rank = { score, isPadding: false };
  const presented = isPage(match) ? presentPage(match, rank) : presentChunk(match, rank);
  return { ...presented, ...(explain && scoreParts !== undefined ? { scoreParts } : {}) };
}

/** A text chunk as results show it: document metadata, overlaid with what is known of the chunk. */
export function presentChunk(chunk: FoundChunk, rank: Rank): RetrievedChunk {
  const { documentId, chunkNumber, content, context, contentType, filename, pageNumber } = chunk;
  return {
    documentId,
    chunkNumber,
    content,
    context,
    ...rank,
    metadata: {
      ...metadataOf(chunk),
      ...chunk.chunkMetadata,
      is_image: false,
      ...(pageNumber === null ? {} : { page_number: pageNumber }),
      start_offset: chunk.startOffset,
      end_offset: chunk.endOffset,
    },
    contentType,
    filename,
    downloadUrl: null,
    pageNumber,
    imageKey: null,
  };
}

/** The image of a page, with its text for its content. */
export function presentPage(page: FoundPage, rank: Rank): RetrievedChunk {
  const { documentId, pageNumber, content, filename, objectKey } = page;
  return {
    documentId,
    chunkNumber: pageNumber - 1,
    content,
    context: NO_CONTEXT,
    ...rank,
    metadata: { ...metadataOf(page), is_image: true, page_number: pageNumber },
    contentType: 'image/png',
    filename,
    downloadUrl: null,
    pageNumber,
    imageKey: objectKey,
  };
}

function metadataOf({
  documentId,
  documentMetadata,
  folderPath,
}: Pick<FoundPage, 'documentId' | 'documentMetadata' | 'folderPath'>): Record<string, unknown> {
  return { ...documentMetadata, external_id: documentId, folder_name: folderPath };
}
