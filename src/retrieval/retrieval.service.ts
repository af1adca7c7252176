import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { analyseQuery } from '../lexical/analyse.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Embedder } from '../embedding/embedder.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { PageEmbedder } from '../multivector/page-embedder.js';
import { PageSearch, type PageQuestion, type PageSearchOutcome } from '../pages/page-search.js';
import { timed } from '../request/request-context.js';
import { Reranker } from '../reranking/reranker.js';
import { ChunkSearch, type SearchOutcome } from './chunk-search.js';
import { fused, isPage, minPassageScore, type Match } from './fuse.js';
import { ImageContents } from './image-contents.js';
import { ImageQuestions } from './image-question.js';
import { Neighbours } from './neighbours.js';
import { flattened, grouped } from './padding.js';
import { presentChunk, presentPage } from './present.js';
import { rerank, RERANK_DEPTH } from './rerank.js';
import type { RetrievalPlan, Retrieved, RetrievedChunk, RetrieveRequest } from './retrieval.types.js';

/** Finds the passages and pages for a question: plan, search, fuse, rerank, pad, present. */
@Injectable()
export class RetrievalService {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly search: ChunkSearch,
    private readonly embedder: Embedder,
    @Inject(Reranker) private readonly reranker: Reranker | null,
    private readonly pageSearch: PageSearch,
    @Inject(PageEmbedder) private readonly pageEmbedder: PageEmbedder | null,
    private readonly imageQuestions: ImageQuestions,
    private readonly neighbours: Neighbours,
    private readonly images: ImageContents,
  ) {}

  /**
   * @throws ProviderFailed when an embedding model or the reranker fails; Invalid when a question's image cannot be
   *   decoded, or the images of the answer are too large.
   */
  async retrieve(scope: Scope, request: RetrieveRequest): Promise<Retrieved> {
    const { matches, plan } = await this.matches(scope, request);
    const padding = request.useColpali ? request.padding : 0;
    const groups = grouped(matches, await this.neighbours.around(scope, matches, padding), padding);
    const shown = await this.images.shown(scope, flattened(groups), request.outputFormat);
    const shownOf = (chunk: RetrievedChunk): RetrievedChunk[] =>
      [shown.get(chunk)].filter((one) => one !== undefined);
    const shownGroups = groups.flatMap(({ mainChunk, paddingChunks }) =>
      shownOf(mainChunk).map((main) => ({ mainChunk: main, paddingChunks: paddingChunks.flatMap(shownOf) })),
    );
    return { chunks: flattened(shownGroups), groups: shownGroups, plan };
  }

  /** Images of retrieved pages as data URIs, for a model that sees; null where there is none to be sent. */
  imagesForModel(chunks: readonly RetrievedChunk[]): Promise<(string | null)[]> {
    return this.images.forModel(chunks);
  }

  private async matches(
    scope: Scope,
    request: RetrieveRequest,
  ): Promise<{ readonly matches: readonly RetrievedChunk[]; readonly plan: RetrievalPlan }> {
    const { query, k, minScore } = request;
    const isReranked = query !== null && (request.useReranking ?? this.settings.RERANK_BY_DEFAULT);
    const reranker = isReranked ? this.reranker : null;
    const depth = reranker === null ? k : Math.max(k, RERANK_DEPTH);
    const least = reranker === null ? minScore : 0;
    const withPages = request.useColpali && this.pageEmbedder !== null;
    const [texts, pages] = await Promise.all([
      this.chunksFor(scope, request, depth, withPages ? minPassageScore(least) : least),
      withPages ? this.pagesFor(scope, request, depth) : NO_PAGES,
    ]);
    const found = withPages ? fused(texts.chunks, pages.pages, depth) : texts.chunks;
    const ranked =
      reranker === null || query === null
        ? found
        : await timed('rerank', () => rerank(reranker, query, found));
    const { matching, candidates } = pages;
    return {
      matches: ranked
        .filter(({ score }) => score >= minScore)
        .slice(0, k)
        .map(present),
      plan: { ...texts.plan, ...(withPages ? { pages: { matching, candidates } } : {}) },
    };
  }

  private async chunksFor(
    scope: Scope,
    request: RetrieveRequest,
    limit: number,
    minScore: number,
  ): Promise<SearchOutcome> {
    const { query, lexicalExpansion } = request;
    if (query === null) return NO_CHUNKS; // images are compared with pages
    const vector = await timed('embed', () => this.embedder.embedQuery(query));
    const terms = termsOf(query, lexicalExpansion);
    return timed('db', () =>
      this.search.search(scope, selectionOf(request), { vector, terms }, limit, minScore),
    );
  }

  private pagesFor(scope: Scope, request: RetrieveRequest, limit: number): Promise<PageSearchOutcome> {
    return this.pageSearch.search(scope, selectionOf(request), () => this.pageQuestion(request), limit);
  }

  private async pageQuestion({ query, queryImage }: RetrieveRequest): Promise<PageQuestion | null> {
    if (queryImage !== null) return this.imageQuestions.pageQuestion(queryImage);
    if (query === null || this.pageEmbedder === null) return null;
    return { vectors: await this.pageEmbedder.embedQuery(query), fingerprint: null };
  }
}

const NO_CHUNKS: SearchOutcome = {
  chunks: [],
  plan: { path: 'empty', matchingChunks: 0, candidates: 0 },
};
const NO_PAGES: PageSearchOutcome = { pages: [], matching: 0, candidates: 0 };

function present(match: Match): RetrievedChunk {
  const rank = { score: match.score, isPadding: false };
  return isPage(match) ? presentPage(match, rank) : presentChunk(match, rank);
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
