import type { Chunk } from '../api/lectern.js';
import { hrefOf } from '../app/router.js';
import { t } from '../language/translate.js';

/** Location of a chunk, from its metadata. */
export interface Place {
  readonly page: number | null;
  /** Pages of the content: `page 2`, or `pages 1-2`; null if unknown. */
  readonly pages: string | null;
  readonly isImage: boolean;
  readonly span: { readonly start: number; readonly end: number } | null;
}

export function placeOfChunk({ metadata }: Pick<Chunk, 'metadata'>): Place {
  const { page_number: page, first_page_number: first, is_image: isImage } = metadata;
  const { start_offset: start, end_offset: end } = metadata;
  return {
    page: typeof page === 'number' ? page : null,
    pages:
      typeof page !== 'number'
        ? null
        : typeof first === 'number'
          ? t('place.pages', { first, last: page })
          : t('place.page', { page }),
    isImage: isImage === true,
    span: typeof start === 'number' && typeof end === 'number' ? { start, end } : null,
  };
}

/** `report.pdf, page 2`, or `report.pdf, pages 1-2`. */
export function placeName({
  filename,
  document_id: id,
  chunk_number: number,
  metadata,
}: Pick<Chunk, 'filename' | 'document_id' | 'chunk_number' | 'metadata'>): string {
  const { pages } = placeOfChunk({ metadata });
  const name = filename ?? id;
  return pages === null
    ? t('place.passage', { name, passage: number + 1 })
    : t('place.at', { name, place: pages });
}

/** A page links to its image, a passage to its position in the text. */
export function placeHref({
  document_id: id,
  chunk_number: chunk,
  metadata,
}: Pick<Chunk, 'document_id' | 'chunk_number' | 'metadata'>): string {
  const { isImage, page } = placeOfChunk({ metadata });
  return hrefOf('documents', id, isImage ? { part: 'pages', page } : { chunk });
}
