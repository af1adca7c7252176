import type { ChunkRow } from '../chunks/chunk.js';
import type { PageRow } from '../chunks/page.js';
import { NO_CONTEXT } from '../lexical/chunk-context.js';
import { isPage, type Match } from './matches.js';
import type { RetrievedChunk } from './retrieval.types.js';

/** Score and padding flag of a result. */
type Rank = Pick<RetrievedChunk, 'score' | 'isPadding'>;

export const PADDING: Rank = { score: 0, isPadding: true };

/** Converts a match to a result, with its score components if `explain` is set. */
export function presentMatch(match: Match, explain = false): RetrievedChunk {
  const { score, score_parts: scoreComponents } = match;
  const presented = present(match, { score, isPadding: false });
  return explain && scoreComponents !== undefined ? { ...presented, scoreComponents } : presented;
}

/**
 * Converts a passage or a page image to a result. Chunk metadata overrides document metadata. The content of a page image
 * is its text.
 */
export function present(row: ChunkRow | PageRow, rank: Rank): RetrievedChunk {
  const { document_id: documentId, content, filename, page_number: pageNumber } = row;
  const shared = { documentId, content, filename, pageNumber, downloadUrl: null, ...rank };
  const documentMetadata = {
    ...row.document_metadata,
    external_id: documentId,
    folder_name: row.folder_path,
  };
  if (isPage(row)) {
    return {
      ...shared,
      chunkNumber: row.page_number - 1,
      context: NO_CONTEXT,
      overlap: null,
      metadata: { ...documentMetadata, is_image: true, page_number: row.page_number },
      contentType: 'image/png',
      imageKey: row.object_key,
    };
  }
  return {
    ...shared,
    chunkNumber: row.chunk_number,
    context: row.context,
    overlap: row.overlap,
    metadata: {
      ...documentMetadata,
      ...row.chunk_metadata,
      is_image: false,
      ...(pageNumber === null ? {} : { page_number: pageNumber }),
      ...(row.overlap === null ? {} : { first_page_number: row.overlap.pageNumber }),
      start_offset: row.start_offset,
      end_offset: row.end_offset,
    },
    contentType: row.content_type,
    imageKey: null,
  };
}
