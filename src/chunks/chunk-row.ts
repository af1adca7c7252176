import type { FoundChunk, ScoredChunk } from './chunk.js';
import { readContext } from './stored-context.js';
import { inUnit, partsOf, type ScoredQuery } from './scores.js';

/** A chunk as statements return it. */
export interface ChunkRow {
  readonly document_id: string;
  readonly chunk_number: number;
  readonly content: string;
  readonly content_type: string;
  readonly start_offset: number;
  readonly end_offset: number;
  readonly page_number: number | null;
  readonly chunk_metadata: Record<string, unknown>;
  readonly document_metadata: Record<string, unknown>;
  readonly filename: string | null;
  readonly folder_path: string | null;
  readonly document_version: string;
  /** As it is stored. */
  readonly context: string;
}

/** A row of the search statements. */
export interface ScoredRow extends ChunkRow {
  readonly score: number;
  /** Cosine distance from the question. */
  readonly distance: number;
}

export function chunkOf(row: ChunkRow): FoundChunk {
  return {
    documentId: row.document_id,
    chunkNumber: row.chunk_number,
    content: row.content,
    contentType: row.content_type,
    startOffset: row.start_offset,
    endOffset: row.end_offset,
    pageNumber: row.page_number,
    chunkMetadata: row.chunk_metadata,
    documentMetadata: row.document_metadata,
    filename: row.filename,
    folderPath: row.folder_path,
    documentVersion: row.document_version,
    context: readContext(row.context),
  };
}

export function scoredChunkOf(row: ScoredRow, query: ScoredQuery): ScoredChunk {
  const { score, distance } = row;
  return { ...chunkOf(row), score: inUnit(score), scoreParts: partsOf(score, distance, query) };
}
