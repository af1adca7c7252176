import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { analyseQuery } from '../lexical/analyse.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Embedder } from '../embedding/embedder.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { timed } from '../request/request-context.js';
import { Reranker } from '../reranking/reranker.js';
import { ChunkSearch } from './chunk-search.js';
import { presentChunk } from './present.js';
import { rerank, RERANK_DEPTH } from './rerank.js';
import type { Retrieved, RetrieveRequest } from './retrieval.types.js';

/** Finds the passages for a question: plan, search, fuse, rerank, present. */
@Injectable()
export class RetrievalService {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly search: ChunkSearch,
    private readonly embedder: Embedder,
    @Inject(Reranker) private readonly reranker: Reranker | null,
  ) {}

  /**
   * @throws ProviderFailed when the embedding model or the reranker fails.
   */
  async retrieve(scope: Scope, request: RetrieveRequest): Promise<Retrieved> {
    const { query } = request;
    // An image is compared with page and image embeddings; this installation has none, so nothing matches.
    if (query === null) return NOTHING;
    const reranker = (request.useReranking ?? this.settings.RERANK_BY_DEFAULT) ? this.reranker : null;
    const vector = await timed('embed', () => this.embedder.embedQuery(query));
    const depth = reranker === null ? request.k : Math.max(request.k, RERANK_DEPTH);
    const { chunks, plan } = await timed('db', () =>
      this.search.search(
        scope,
        selectionOf(request),
        { vector, terms: termsOf(query, request.lexicalExpansion) },
        depth,
        reranker === null ? request.minScore : 0,
      ),
    );
    const ranked = reranker === null ? chunks : await timed('rerank', () => rerank(reranker, query, chunks));
    const matches = ranked
      .filter(({ score }) => score >= request.minScore)
      .slice(0, request.k)
      .map(presentChunk);
    return {
      chunks: matches,
      groups: matches.map((mainChunk) => ({ mainChunk, paddingChunks: [] })),
      plan,
    };
  }
}

const NOTHING: Retrieved = {
  chunks: [],
  groups: [],
  plan: { path: 'empty', matchingChunks: 0, candidates: 0 },
};

function termsOf(query: string, expansion: readonly string[] = []): string[] {
  return [...new Set([query, ...expansion].flatMap((text) => analyseQuery(text)))];
}

function selectionOf(request: RetrieveRequest): DocumentSelection {
  return {
    filter: request.filter,
    folders: request.folders,
    folderDepth: request.folderDepth,
    endUserId: request.endUserId,
  };
}
