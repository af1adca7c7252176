import { Inject, Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import type { Scope } from '../auth/scope.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Embedder } from '../embedding/embedder.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { all, fieldNamed, not, type Filter } from '../filters/filter.js';
import { analyseQuery } from '../lexical/analyse.js';
import { PageEmbedder } from '../multivector/page-embedder.js';
import { PageSearch, type PageQuestion, type PageSearchOutcome } from '../pages/page-search.js';
import { timed } from '../request/request-context.js';
import { Reranker } from '../reranking/reranker.js';
import { ChunkSearch, type SearchOutcome } from './chunk-search.js';
import { fused, minPassageScore, type Match } from './fuse.js';
import { ImageQuestions } from './image-question.js';
import { bestOfParts, questionParts } from './question-parts.js';
import { rerank, RERANK_DEPTH } from './rerank.js';
import type { RetrievalPlan, RetrieveRequest } from './retrieval.types.js';

export interface Matches {
  /** Best first. */
  readonly matches: readonly Match[];
  readonly plan: RetrievalPlan;
}

/** Matches that are looked at for each document that is asked for. */
const MATCHES_A_DOCUMENT = 4;

/** Parts of one long question that are searched for at once: others want connections too. */
const PARTS_AT_ONCE = 4;

/** Finds the best passages and pages for a question: plan, search, fuse, rerank. */
@Injectable()
export class MatchSearch {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly chunks: ChunkSearch,
    private readonly embedder: Embedder,
    @Inject(Reranker) private readonly reranker: Reranker | null,
    private readonly pages: PageSearch,
    @Inject(PageEmbedder) private readonly pageEmbedder: PageEmbedder | null,
    private readonly imageQuestions: ImageQuestions,
  ) {}

  /** @throws ProviderFailed when an embedding model or the reranker fails; Invalid when an image cannot be decoded. */
  async best(scope: Scope, request: RetrieveRequest): Promise<Matches> {
    const ask = () => this.pageQuestion(request);
    const { matches, plan } = await this.found(scope, request, ask, this.depthOf(request));
    return { matches: await this.ranked(request, matches), plan };
  }

  /**
   * The best match of each document, of as many documents as `k` asks for and there are: documents that were found are
   * left out of the next search, until there are enough.
   */
  async bestOfDocuments(scope: Scope, request: RetrieveRequest): Promise<readonly Match[]> {
    const wanted = this.depthOf(request);
    const limit = MATCHES_A_DOCUMENT * wanted;
    const best = new Map<string, Match>();
    let question: Promise<PageQuestion | null> | undefined;
    const ask = () => (question ??= this.pageQuestion(request)); // an image is read once
    for (let isMore = true; isMore && best.size < wanted;) {
      const { matches } = await this.found(scope, without(request, [...best.keys()]), ask, limit);
      for (const match of matches) if (!best.has(match.documentId)) best.set(match.documentId, match);
      isMore = matches.length === limit;
    }
    return this.ranked(request, [...best.values()].slice(0, wanted));
  }

  /** The best by the scores of the search alone. */
  private async found(
    scope: Scope,
    request: RetrieveRequest,
    ask: () => Promise<PageQuestion | null>,
    limit: number,
  ): Promise<Matches> {
    const minScore = this.rerankerFor(request) === null ? request.minScore : 0;
    const withPages = request.useColpali && this.pageEmbedder !== null;
    const [texts, pages] = await Promise.all([
      this.chunksFor(scope, request, limit, withPages ? minPassageScore(minScore) : minScore),
      withPages ? this.pages.search(scope, selectionOf(request), ask, limit) : NO_PAGES,
    ]);
    const { matching, candidates } = pages;
    return {
      matches: withPages ? fused(texts.chunks, pages.pages, limit) : texts.chunks,
      plan: { ...texts.plan, ...(withPages ? { pages: { matching, candidates } } : {}) },
    };
  }

  private async ranked(request: RetrieveRequest, found: readonly Match[]): Promise<readonly Match[]> {
    const { query, k, minScore } = request;
    const reranker = this.rerankerFor(request);
    const ranked =
      reranker === null || query === null
        ? found
        : await timed('rerank', () => rerank(reranker, query, found));
    return ranked.filter(({ score }) => score >= minScore).slice(0, k);
  }

  private rerankerFor({ query, useReranking }: RetrieveRequest): Reranker | null {
    return query !== null && (useReranking ?? this.settings.RERANK_BY_DEFAULT) ? this.reranker : null;
  }

  private depthOf(request: RetrieveRequest): number {
    return this.rerankerFor(request) === null ? request.k : Math.max(request.k, RERANK_DEPTH);
  }

  private async chunksFor(
    scope: Scope,
    request: RetrieveRequest,
    limit: number,
    minScore: number,
  ): Promise<SearchOutcome> {
    const { query, lexicalExpansion, explain = false } = request;
    if (query === null) return NO_CHUNKS; // images are compared with pages
    const search = async (part: string): Promise<SearchOutcome> => {
      const vector = await timed('embed', () => this.embedder.embedQuery(part));
      const terms = termsOf(part, lexicalExpansion);
      return timed('db', () =>
        this.chunks.search(scope, selectionOf(request), { vector, terms, explain }, limit, minScore),
      );
    };
    const [whole, ...parts] = await pLimit(PARTS_AT_ONCE).map(questionParts(query), search);
    if (whole === undefined || parts.length === 0) return whole ?? NO_CHUNKS;
    return {
      ...whole,
      chunks: bestOfParts(
        [whole, ...parts].map(({ chunks }) => chunks),
        limit,
      ),
    };
  }

  private async pageQuestion({ query, queryImage }: RetrieveRequest): Promise<PageQuestion | null> {
    if (queryImage !== null) return this.imageQuestions.pageQuestion(queryImage);
    if (query === null || this.pageEmbedder === null) return null;
    return { vectors: await this.pageEmbedder.embedQuery(query), fingerprint: null, text: null };
  }
}

const NO_CHUNKS: SearchOutcome = {
  chunks: [],
  plan: { path: 'empty', matchingChunks: 0, candidates: 0 },
};
const NO_PAGES: PageSearchOutcome = { pages: [], matching: 0, candidates: 0 };

function without(request: RetrieveRequest, documentIds: readonly string[]): RetrieveRequest {
  if (documentIds.length === 0) return request;
  const others: Filter = not({ kind: 'in', field: fieldNamed('external_id'), values: documentIds });
  return { ...request, filter: request.filter === null ? others : all([request.filter, others]) };
}

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
