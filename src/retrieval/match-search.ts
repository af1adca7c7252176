import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { ChunkSearch, type SearchOutcome, type SearchQuery } from '../chunks/chunk-search.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Embedder } from '../embedding/embedder.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { all, fieldNamed, not, type Filter } from '../filters/filter.js';
import { analyseQuery } from '../lexical/analyse.js';
import { PageEmbedder } from '../multivector/page-embedder.js';
import type { ScoredPage } from '../chunks/page.js';
import { PageSearch, type PageSearchOutcome } from '../chunks/page-search.js';
import { overlap, wordsOf } from './word-overlap.js';
import { timed } from '../request/request-context.js';
import { Reranker } from '../reranking/reranker.js';

import { fused, isPage, minPassageScore, type Match } from './fuse.js';
import { ImageQuestions, type ImageQuestion } from './image-question.js';
import { PagesOfPassages } from './pages-of-passages.js';
import { rerank, RERANK_DEPTH } from './rerank.js';
import type { RetrievalPlan, RetrieveRequest } from './retrieval.types.js';

export interface Matches {
  /** Best first. */
  readonly matches: readonly Match[];
  readonly plan: RetrievalPlan;
}

/** Matches that are looked at for each document that is asked for. */
const MATCHES_A_DOCUMENT = 4;

/** Passages that are looked at for each page with the text of an image. */
const PASSAGES_A_PAGE = 4;

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
    private readonly pagesOf: PagesOfPassages,
    private readonly images: ImageQuestions,
  ) {}

  /** @throws ProviderFailed when an embedding model or the reranker fails; Invalid when an image cannot be decoded. */
  async best(scope: Scope, request: RetrieveRequest): Promise<Matches> {
    const image = this.imageOf(request);
    const { matches, plan } = await this.found(scope, request, image, this.depthOf(request));
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
    const image = this.imageOf(request);
    for (let isMore = true; isMore && best.size < wanted;) {
      const { matches } = await this.found(scope, without(request, [...best.keys()]), image, limit);
      for (const match of matches) if (!best.has(match.document_id)) best.set(match.document_id, match);
      isMore = matches.length === limit;
    }
    return this.ranked(request, [...best.values()].slice(0, wanted));
  }

  /** The best by the scores of the search alone. */
  private async found(
    scope: Scope,
    request: RetrieveRequest,
    image: () => Promise<ImageQuestion>,
    limit: number,
  ): Promise<Matches> {
    const { query, useColpali } = request;
    const minScore = this.rerankerFor(request) === null ? request.minScore : 0;
    if (query === null) return this.likeImage(scope, request, image, limit);
    if (!useColpali) return passagesOnly(await this.searched(scope, request, query, limit, minScore));
    const embedder = this.pageEmbedder;
    if (embedder === null) return this.withTheirPages(scope, request, query, limit, minScore);
    const ask = async () => ({ vectors: await embedder.embedQuery(query), fingerprint: null });
    const [texts, pages] = await Promise.all([
      this.searched(scope, request, query, limit, minPassageScore(minScore)),
      this.pages.search(scope, selectionOf(request), ask, limit),
    ]);
    return {
      matches: fused(texts.chunks, pages.pages, limit),
      plan: { ...texts.plan, pages: countsOf(pages) },
    };
  }

  /** Passages, or the pages that they stand on: more are searched for until there are enough, since some share a page. */
  private async withTheirPages(
    scope: Scope,
    request: RetrieveRequest,
    query: string,
    limit: number,
    minScore: number,
  ): Promise<Matches> {
    for (let depth = 2 * limit; ; depth *= 4) {
      const { chunks, plan } = await this.searched(scope, request, query, depth, minScore);
      const matches = await this.pagesOf.of(scope, chunks);
      if (matches.length >= limit || chunks.length < depth) return { matches: matches.slice(0, limit), plan };
    }
  }

  /** Pages that look like an image, or have its text on them. */
  private async likeImage(
    scope: Scope,
    request: RetrieveRequest,
    image: () => Promise<ImageQuestion>,
    limit: number,
  ): Promise<Matches> {
    const alike = await this.pages.search(scope, selectionOf(request), image, limit);
    const text = alike.matching === 0 ? '' : (await image()).text;
    const best = new Map(alike.pages.map((page) => [`${page.document_id} ${page.page_number}`, page]));
    for (const page of text === '' ? [] : await this.pagesSaying(scope, request, text, limit)) {
      const place = `${page.document_id} ${page.page_number}`;
      if (page.score > (best.get(place)?.score ?? 0)) best.set(place, page);
    }
    const matches = [...best.values()].sort((one, other) => other.score - one.score).slice(0, limit);
    return { matches, plan: { ...NO_CHUNKS.plan, pages: countsOf(alike) } };
  }

  /**
   * Pages with the text of an image: the mean of how well their best passage answers it and of the words that both have,
   * which tell pages of one table from each other.
   */
  private async pagesSaying(
    scope: Scope,
    request: RetrieveRequest,
    text: string,
    limit: number,
  ): Promise<ScoredPage[]> {
    const { chunks } = await this.searched(scope, request, text, PASSAGES_A_PAGE * limit, 0);
    const words = wordsOf(text);
    return (await this.pagesOf.of(scope, chunks)).filter(isPage).map((page) => {
      return { ...page, score: (page.score + overlap(words, wordsOf(page.content))) / 2 };
    });
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

  /** @param minScore that passages reach at least */
  private async searched(
    scope: Scope,
    request: RetrieveRequest,
    text: string,
    limit: number,
    minScore: number,
  ): Promise<SearchOutcome> {
    const { lexicalExpansion } = request;
    const vector = await timed('embed', () => this.embedder.embedQuery(text));
    const unreadable = this.embedder.unreadable(text);
    const query: SearchQuery = {
      vector,
      terms: termsOf(text, lexicalExpansion),
      unreadable: unreadable.share,
      identifiers: analyseQuery(unreadable.identifiers.join(' ')),
    };
    return timed('db', () => this.chunks.search(scope, selectionOf(request), query, limit, minScore));
  }

  /** An image is read once, when it is known that there are pages. */
  private imageOf({ queryImage }: RetrieveRequest): () => Promise<ImageQuestion> {
    let read: Promise<ImageQuestion> | undefined;
    return () => (read ??= this.images.read(queryImage ?? ''));
  }
}

const NO_CHUNKS: SearchOutcome = {
  chunks: [],
  plan: { path: 'empty', matchingChunks: 0, candidates: 0 },
};

function passagesOnly({ chunks, plan }: SearchOutcome): Matches {
  return { matches: chunks, plan };
}

function countsOf({ matching, candidates }: PageSearchOutcome): RetrievalPlan['pages'] & object {
  return { matching, candidates };
}

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
