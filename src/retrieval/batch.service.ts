import { Injectable } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository } from '../chunks/chunk.repository.js';
import { compileSelection } from '../filters/document-predicate.js';
import { PageRepository } from '../chunks/page.repository.js';
import type { DocumentRange } from '../filters/document-ranges.js';
import type { BatchChunksRequest } from './batch-chunks.dto.js';
import { ImageContents } from './image-contents.js';
import { presentChunk, presentPage } from './present.js';
import type { RetrievedChunk } from './retrieval.types.js';

/** Gives chunks by their places. */
@Injectable()
export class BatchService {
  constructor(
    private readonly chunkRows: ChunkRepository,
    private readonly pages: PageRepository,
    private readonly images: ImageContents,
  ) {}

  /**
   * The chunks that are there and visible, each once, in the order in which they were first named.
   * @throws Invalid when the images are too large for one answer.
   */
  async chunks(scope: Scope, request: BatchChunksRequest): Promise<RetrievedChunk[]> {
    const { sources, folder_name: folders, end_user_id: endUserId, output_format: format } = request;
    const selection = compileSelection(scope, { folders, endUserId });
    const rank = { score: 0, isPadding: false };
    const pages =
      request.use_colpali === true
        ? (await this.pages.within(scope, selection, rangesOf(sources, 1))).map((page) =>
            presentPage(page, rank),
          )
        : [];
    const isPage = new Set(pages.map((page) => placeOf(page.documentId, page.chunkNumber)));
    const others = sources.filter((source) => !isPage.has(placeOf(source.document_id, source.chunk_number)));
    const texts = await this.chunkRows.within(scope, selection, rangesOf(others, 0));
    const found = [...pages, ...texts.map((chunk) => presentChunk(chunk, rank))];
    const shown = await this.images.shown(scope, found, format ?? 'base64');
    const byPlace = new Map(
      [...shown.values()].map((chunk) => [placeOf(chunk.documentId, chunk.chunkNumber), chunk]),
    );
    const scores = new Map<string, number>();
    for (const { document_id, chunk_number, score } of sources) {
      const place = placeOf(document_id, chunk_number);
      if (!scores.has(place)) scores.set(place, score ?? 0);
    }
    return [...scores].flatMap(([place, score]) => {
      const chunk = byPlace.get(place);
      return chunk === undefined ? [] : [{ ...chunk, score }];
    });
  }
}

/** @param first the number that the first chunk has where it is stored */
function rangesOf(sources: BatchChunksRequest['sources'], first: 0 | 1): DocumentRange[] {
  return sources
    .filter(({ document_id }) => isUuid(document_id))
    .map(({ document_id: documentId, chunk_number: number }) => {
      return { documentId, first: number + first, last: number + first };
    });
}

function placeOf(documentId: string, chunkNumber: number): string {
  return `${documentId.toLowerCase()} ${chunkNumber}`;
}
