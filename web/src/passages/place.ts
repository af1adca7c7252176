import type { Chunk } from '../api/lectern.js';
import { hrefOf } from '../app/router.js';

/** What is known of a chunk beside its text, as its metadata has it. */
export interface Place {
  readonly page: number | null;
  readonly isImage: boolean;
  readonly span: { readonly start: number; readonly end: number } | null;
}

export function placeOfChunk({ metadata }: Pick<Chunk, 'metadata'>): Place {
  const { page_number: page, is_image: isImage, start_offset: start, end_offset: end } = metadata;
  return {
    page: typeof page === 'number' ? page : null,
    isImage: isImage === true,
    span: typeof start === 'number' && typeof end === 'number' ? { start, end } : null,
  };
}

/** `report.pdf, page 2`. */
export function placeName({
  filename,
  document_id: id,
  chunk_number: number,
  metadata,
}: Pick<Chunk, 'filename' | 'document_id' | 'chunk_number' | 'metadata'>): string {
  const { page } = placeOfChunk({ metadata });
  return `${filename ?? id}, ${page === null ? `passage ${number + 1}` : `page ${page}`}`;
}

/** A page leads to its image, a passage to its place in the text. */
export function placeHref({
  document_id: id,
  chunk_number: chunk,
  metadata,
}: Pick<Chunk, 'document_id' | 'chunk_number' | 'metadata'>): string {
  const { isImage, page } = placeOfChunk({ metadata });
  return hrefOf('documents', id, isImage ? { part: 'pages', page } : { chunk });
}
