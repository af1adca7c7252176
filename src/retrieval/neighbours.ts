import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository } from '../chunks/chunk.repository.js';
import { compileSelection } from '../filters/document-predicate.js';
import type { DocumentRange } from '../filters/document-ranges.js';
import { PageRepository } from '../chunks/page.repository.js';
import { PADDING, presentChunk, presentPage } from './present.js';
import type { RetrievedChunk } from './retrieval.types.js';

/** Finds what stands around matches. */
@Injectable()
export class Neighbours {
  constructor(
    private readonly chunks: ChunkRepository,
    private readonly pages: PageRepository,
  ) {}

  /**
   * Passages around passages and pages around pages, within `padding` in their documents, each once. The matches are
   * among them.
   */
  async around(scope: Scope, matches: readonly RetrievedChunk[], padding: number): Promise<RetrievedChunk[]> {
    if (padding === 0) return [];
    const isPage = ({ imageKey }: RetrievedChunk): boolean => imageKey !== null;
    const texts = matches.filter((match) => !isPage(match));
    const images = matches.filter(isPage);
    const everything = compileSelection(scope, {});
    const [chunks, pages] = await Promise.all([
      this.chunks.within(
        scope,
        everything,
        texts.map(({ documentId, chunkNumber }) => rangeAround(documentId, chunkNumber, padding)),
      ),
      this.pages.within(
        scope,
        everything,
        images.map(({ documentId, chunkNumber }) => rangeAround(documentId, chunkNumber + 1, padding)),
      ),
    ]);
    return [
      ...chunks.map((chunk) => presentChunk(chunk, PADDING)),
      ...pages.map((page) => presentPage(page, PADDING)),
    ];
  }
}

function rangeAround(documentId: string, number: number, padding: number): DocumentRange {
  return { documentId, first: number - padding, last: number + padding };
}
