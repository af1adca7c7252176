import type { ScoredChunk } from './chunk.js';
import { readContext } from './stored-context.js';
import { inUnit, partsOf, type FusionWeights } from './fusion.js';

/** A row of the search statements. */
export interface ChunkRow {
  readonly score: number;
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
  /** Cosine distance from the query, where an explanation was asked for. */
  readonly distance?: number;
}

/** A row of the exact search: without a chunk when nothing matches or nothing was scored. */
export type PresentedRow = ChunkRow | { readonly [K in keyof ChunkRow]: null };

export function isChunkRow<Row extends PresentedRow>(row: Row): row is Row & ChunkRow {
  return row.document_id !== null;
}

/** @param weights of the search, for a row with its distance */
export function chunkOf(row: ChunkRow, weights?: FusionWeights): ScoredChunk {
  const { score, distance } = row;
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
    score: inUnit(score),
    ...(distance === undefined || weights === undefined
      ? {}
      : { scoreParts: partsOf(score, distance, weights) }),
  };
}
