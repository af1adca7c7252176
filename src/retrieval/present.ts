import { NO_CONTEXT } from '#reader';
import type { ChunkRow } from '../chunks/chunk.js';
import type { PageRow } from '../pages/page.js';
import type { Match } from '../pages/page-matches.js';
import type { ChunkGroup, RetrievedChunk } from './retrieval.types.js';

type Rank = Pick<RetrievedChunk, 'score' | 'isPadding'>;

export const PADDING: Rank = { score: 0, isPadding: true };

/** Converts a match to a result, with its score components if they are requested. */
export function presentMatch(match: Match, withScoreComponents = false): RetrievedChunk {
  const { score, score_parts: scoreComponents } = match;
  const presented = present(match, { score, isPadding: false });
  return withScoreComponents && scoreComponents !== undefined ? { ...presented, scoreComponents } : presented;
}

/**
 * Converts a passage or a page image to a result. The metadata of a chunk overrides the metadata of its document. The
 * content of a page image is the text of the page.
 */
export function present(row: ChunkRow | PageRow, rank: Rank): RetrievedChunk {
  const { document_id: documentId, content, filename, page_number: pageNumber } = row;
  const shared = { documentId, content, filename, pageNumber, downloadUrl: null, ...rank };
  const documentMetadata = {
    ...row.document_metadata,
    external_id: documentId,
    folder_name: row.folder_path,
  };
  if ('object_key' in row) {
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

/**
 * Groups each match with its neighbours: other chunks of the document, at most `padding` positions away, that are no
 * matches. Neighbours of page images are page images; neighbours of passages are passages.
 * @param neighbours chunks around the matches, each once, in any order
 */
export function grouped(
  matches: readonly RetrievedChunk[],
  neighbours: readonly RetrievedChunk[],
  padding: number,
): ChunkGroup[] {
  const isMatch = new Set(matches.map(keyOf));
  const byKey = new Map(
    neighbours.map((chunk) => [keyOf(chunk), chunk] as const).filter(([key]) => !isMatch.has(key)),
  );
  const distances = Array.from({ length: 2 * padding + 1 }, (_, at) => at - padding);
  return matches.map((mainChunk) => ({
    mainChunk,
    paddingChunks: distances.flatMap(
      (distance) => byKey.get(keyOf({ ...mainChunk, chunkNumber: mainChunk.chunkNumber + distance })) ?? [],
    ),
  }));
}

/** Lists each chunk once: first the matches in rank order, then the neighbours in group order. */
export function flattened(groups: readonly ChunkGroup[]): RetrievedChunk[] {
  const main = groups.map(({ mainChunk }) => mainChunk);
  const padding = new Map(
    groups.flatMap(({ paddingChunks }) => paddingChunks).map((chunk) => [keyOf(chunk), chunk]),
  );
  return [...main, ...padding.values()];
}

/** Identifies a chunk. A passage and a page image of a document may have the same number. */
function keyOf({ documentId, chunkNumber, imageKey }: RetrievedChunk): string {
  return `${documentId} ${imageKey === null ? 'text' : 'page'} ${chunkNumber}`;
}

type PagedChunk = Pick<RetrievedChunk, 'pageNumber' | 'overlap'>;

/**
 * Returns the 1-based page of a position in a chunk's content; null when unknown.
 * @param offset position in the content, in UTF-16 code units
 */
export function pageAt({ pageNumber, overlap }: PagedChunk, offset: number): number | null {
  return overlap !== null && offset < overlap.length ? overlap.pageNumber : pageNumber;
}

/** Returns the pages of a chunk in order; empty when unknown. */
export function pagesOf({ pageNumber, overlap }: PagedChunk): number[] {
  if (pageNumber === null) return [];
  return overlap === null ? [pageNumber] : [overlap.pageNumber, pageNumber];
}

/** Appends the pages of a chunk, if they are known, to a name: `manual.pdf, page 3`, `manual.pdf, pages 2-3`. */
export function withPages(name: string, chunk: PagedChunk): string {
  const pages = pagesOf(chunk);
  if (pages.length === 0) return name;
  return `${name}, ${pages.length === 1 ? 'page' : 'pages'} ${pages.join('-')}`;
}
