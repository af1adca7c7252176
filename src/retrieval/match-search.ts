import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { ChunkSearch, type SearchOutcome } from '../chunks/chunk-search.js';
import type { ScoredPage } from '../chunks/page.js';
import { PageRepository } from '../chunks/page.repository.js';
import { PageSearch } from '../chunks/page-search.js';
import { Embedder } from '../embedding/embedder.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { analyseQuery } from '../lexical/analyse.js';
import { PageEmbedder } from '../multivector/page-embedder.js';
import { timed } from '../request/request-context.js';
import {
  byScore,
  fused,
  isPage,
  type Match,
  minPassageScore,
  overlap,
  withTheirPages,
  wordsOf,
} from './matches.js';
import type { ReadImage } from './query-image.js';
import type { RetrievalPlan } from './retrieval.types.js';

/** A question, and the documents and limits of its search. */
export interface Search {
  readonly selection: DocumentSelection;
  readonly question: string | ReadImage;
  readonly useColpali: boolean;
  /** Additional terms for the lexical search. */
  readonly expansion: readonly string[];
  readonly limit: number;
  /** Minimum score of a match. */
  readonly minScore: number;
}

type TextSearch = Search & { readonly question: string };

export interface Matches {
  /** Best first. */
  readonly matches: readonly Match[];
  readonly plan: RetrievalPlan;
}

/** Passages searched for each page when an image's recognised text is the query. */
const PASSAGES_PER_PAGE = 4;

/** Embeds a question, searches passages and page images, and merges both into one ranking. */
@Injectable()
export class MatchSearch {
  constructor(
    private readonly embedder: Embedder,
    private readonly chunks: ChunkSearch,
    @Inject(PageEmbedder) private readonly pageEmbedder: PageEmbedder | null,
    private readonly pages: PageSearch,
    private readonly pageRows: PageRepository,
  ) {}

  /** @throws ProviderFailed when an embedding model fails; Invalid when an image cannot be decoded. */
  async find(scope: Scope, { question, ...search }: Search): Promise<Matches> {
    if (typeof question !== 'string') return this.byImage(scope, { ...search, question });
    if (search.useColpali) return this.withPages(scope, { ...search, question });
    const { chunks, plan } = await this.passages(scope, { ...search, question });
    return { matches: chunks, plan };
  }

  private async passages(
    scope: Scope,
    { selection, question, expansion, limit, minScore }: TextSearch,
  ): Promise<SearchOutcome> {
    const vector = await timed('embed', () => this.embedder.embedQuery(question));
    const { share, identifiers } = this.embedder.unreadable(question);
    const query = {
      vector,
      terms: [...new Set([question, ...expansion].flatMap((text) => analyseQuery(text)))],
      unreadable: share,
      identifiers: analyseQuery(identifiers.join(' ')),
    };
    return timed('db', () => this.chunks.search(scope, selection, query, limit, minScore));
  }

  /** Searches passages and page images. Without a page embedder it replaces passages by their pages. */
  private async withPages(scope: Scope, search: TextSearch): Promise<Matches> {
    const { selection, question, limit, minScore } = search;
    const embedder = this.pageEmbedder;
    if (embedder === null) return this.pagesOfPassages(scope, search);
    const ask = async () => ({ vectors: await embedder.embedQuery(question), fingerprint: null });
    const [texts, images] = await Promise.all([
      this.passages(scope, { ...search, minScore: minPassageScore(minScore) }),
      this.pages.search(scope, selection, ask, limit),
    ]);
    const { matching, candidates } = images;
    const plan = { ...texts.plan, pages: { matching, candidates } };
    return { matches: fused(texts.chunks, images.pages, limit), plan };
  }

  /** Increases the search depth until enough pages are found, since passages may share a page. */
  private async pagesOfPassages(scope: Scope, search: TextSearch): Promise<Matches> {
    const { limit } = search;
    for (let depth = 2 * limit; ; depth *= 4) {
      const { chunks, plan } = await this.passages(scope, { ...search, limit: depth });
      const matches = await withTheirPages(this.pageRows, scope, search.question, chunks);
      if (matches.length >= limit || chunks.length < depth) return { matches: matches.slice(0, limit), plan };
    }
  }

  /** Finds pages that resemble an image, or that contain its recognised text. */
  private async byImage(scope: Scope, search: Search & { readonly question: ReadImage }): Promise<Matches> {
    const { selection, question: image, limit } = search;
    const { pages, matching, candidates } = await this.pages.search(scope, selection, image, limit);
    const text = matching === 0 ? '' : (await image()).text;
    const best = new Map(pages.map((page) => [placeOf(page), page]));
    for (const page of text === '' ? [] : await this.pagesByText(scope, { ...search, question: text })) {
      if (page.score > (best.get(placeOf(page))?.score ?? 0)) best.set(placeOf(page), page);
    }
    return {
      matches: [...best.values()].sort(byScore).slice(0, limit),
      plan: { path: 'empty', matchingChunks: 0, candidates: 0, pages: { matching, candidates } },
    };
  }

  /**
   * Finds pages with the recognised text of an image. The score is the mean of the best passage's score and the word
   * overlap, which distinguishes pages of one table.
   */
  private async pagesByText(scope: Scope, search: TextSearch): Promise<ScoredPage[]> {
    const { question: text, limit } = search;
    const { chunks } = await this.passages(scope, {
      ...search,
      limit: PASSAGES_PER_PAGE * limit,
      minScore: 0,
    });
    const words = wordsOf(text);
    return (await withTheirPages(this.pageRows, scope, text, chunks)).filter(isPage).map((page) => {
      return { ...page, score: (page.score + overlap(words, wordsOf(page.content))) / 2 };
    });
  }
}

function placeOf({ document_id: id, page_number: number }: ScoredPage): string {
  return `${id} ${number}`;
}
