import type { ScoredChunk } from '../chunks/chunk.js';
import type { RetrievedChunk } from './retrieval.types.js';

/** A text chunk as results show it: document metadata, overlaid with what is known of the chunk. */
export function presentChunk(chunk: ScoredChunk): RetrievedChunk {
  const { documentId, chunkNumber, content, contentType, filename, folderPath, pageNumber } = chunk;
  return {
    documentId,
    chunkNumber,
    content,
    score: chunk.score,
    metadata: {
      ...chunk.documentMetadata,
      external_id: documentId,
      folder_name: folderPath,
      ...chunk.chunkMetadata,
      is_image: false,
      ...(pageNumber === null ? {} : { page_number: pageNumber }),
      start_offset: chunk.startOffset,
      end_offset: chunk.endOffset,
    },
    contentType,
    filename,
    downloadUrl: null,
    isPadding: false,
    pageNumber,
    isImage: false,
  };
}
