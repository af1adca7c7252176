import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { ImageContents } from './image-contents.js';
import { MatchSearch } from './match-search.js';
import { Neighbours } from './neighbours.js';
import { flattened, grouped } from './padding.js';
import { presentMatch } from './present.js';
import type { Retrieved, RetrievedChunk, RetrievedDocument, RetrieveRequest } from './retrieval.types.js';

/** Finds the passages, pages and documents for a question: search, pad, present. */
@Injectable()
export class RetrievalService {
  constructor(
    private readonly search: MatchSearch,
    private readonly neighbours: Neighbours,
    private readonly images: ImageContents,
    private readonly documents: DocumentRepository,
  ) {}

  /**
   * @throws ProviderFailed when an embedding model or the reranker fails; Invalid when a question's image cannot be
   *   decoded, or the images of the answer are too large.
   */
  async retrieve(scope: Scope, request: RetrieveRequest): Promise<Retrieved> {
    const { matches, plan } = await this.search.best(scope, request);
    const chunks = matches.map((match) => presentMatch(match, request.explain));
    const padding = request.useColpali ? request.padding : 0;
    const groups = grouped(chunks, await this.neighbours.around(scope, chunks, padding), padding);
    const shown = await this.images.shown(scope, flattened(groups), request.outputFormat);
    const shownOf = (chunk: RetrievedChunk): RetrievedChunk[] =>
      [shown.get(chunk)].filter((one) => one !== undefined);
    const shownGroups = groups.flatMap(({ mainChunk, paddingChunks }) =>
      shownOf(mainChunk).map((main) => ({ mainChunk: main, paddingChunks: paddingChunks.flatMap(shownOf) })),
    );
    return { chunks: flattened(shownGroups), groups: shownGroups, plan };
  }

  /** The best chunk of each document, of `k` documents where so many match. @throws as `retrieve`. */
  async retrieveDocuments(scope: Scope, request: RetrieveRequest): Promise<RetrievedDocument[]> {
    const chunks = (await this.search.bestOfDocuments(scope, request)).map((match) => presentMatch(match));
    const shown = await this.images.shown(scope, chunks, request.outputFormat);
    const rows = await this.documents.listById(
      scope,
      chunks.map(({ documentId }) => documentId),
    );
    return [...shown.values()].flatMap((chunk) => {
      const document = rows.get(chunk.documentId);
      return document === undefined ? [] : [{ chunk, document }]; // deleted meanwhile
    });
  }

  /** Images of retrieved pages as data URIs, for a model that sees; null where there is none to be sent. */
  imagesForModel(chunks: readonly RetrievedChunk[]): Promise<(string | null)[]> {
    return this.images.forModel(chunks);
  }
}
