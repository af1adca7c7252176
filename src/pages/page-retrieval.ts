import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { ChunkSearch, type SearchPlan, type TextSearch } from '../chunks/chunk-search.js';
import { byScore } from '../chunks/hybrid-score.js';
import type { ScoredPage } from './page.js';
import { PageRepository } from './page.repository.js';
import { PageSearch } from './page-search.js';
import { PageEmbedder } from '../models/multivector/page-embedder.js';
import { fused, isPage, type Match, minPassageScore, withTheirPages } from './page-matches.js';
import type { ReadImage } from './query-image.js';

/** A search by an image as the question. */
export interface ImageSearch extends Omit<TextSearch, 'question'> {
  readonly question: ReadImage;
}

/** The strategy and the counts of a search, including a search for page images. */
export interface RetrievalPlan extends SearchPlan {
  /**
   * Set by a search for page images: the number of matching pages (counting stops at `MAX_COUNTED`), and the number of
   * pages that were scored exactly.
   */
  readonly pages?: { readonly matching: number; readonly candidates: number };
}

export interface Matches {
  /** Best first. */
  readonly matches: readonly Match[];
  readonly plan: RetrievalPlan;
}

/** Searches page images, and merges them with passages into one ranking. */
@Injectable()
export class PageRetrieval {
  constructor(
    private readonly chunks: ChunkSearch,
    @Inject(PageEmbedder) private readonly pageEmbedder: PageEmbedder | null,
    private readonly pages: PageSearch,
    private readonly pageRows: PageRepository,
  ) {}

  /**
   * Searches passages and page images. Without a page embedder, searches passages only, and replaces each passage by
   * its page.
   * @throws ProviderFailed when an embedding model fails.
   */
  async byText(scope: Scope, search: TextSearch): Promise<Matches> {
    const { selection, question, limit, minScore } = search;
    const embedder = this.pageEmbedder;
    if (embedder === null) return this.pagesOfPassages(scope, search);
    const ask = async () => ({ vectors: await embedder.embedQuery(question), fingerprint: null });
    const [texts, images] = await Promise.all([
      this.chunks.searchText(scope, { ...search, minScore: minPassageScore(minScore) }),
      this.pages.search(scope, selection, ask, limit),
    ]);
    const { matching, candidates } = images;
    const plan = { ...texts.plan, pages: { matching, candidates } };
    return { matches: fused(texts.chunks, images.pages, limit), plan };
  }

  /**
   * Searches passages and replaces them by their pages. Passages may share a page, so the search is repeated with a
   * higher limit until it has found enough pages.
   */
  private async pagesOfPassages(scope: Scope, search: TextSearch): Promise<Matches> {
    const { limit } = search;
    for (let depth = 2 * limit; ; depth *= 4) {
      const { chunks, plan } = await this.chunks.searchText(scope, { ...search, limit: depth });
      const matches = await withTheirPages(this.pageRows, scope, search.question, chunks);
      if (matches.length >= limit || chunks.length < depth) return { matches: matches.slice(0, limit), plan };
    }
  }

  /**
   * Finds pages that are similar to an image, and the pages of passages that match the text recognised in the image. A
   * page found in both ways has the higher of its two scores.
   * @throws ProviderFailed when an embedding model fails; Invalid when the image cannot be decoded.
   */
  async byImage(scope: Scope, search: ImageSearch): Promise<Matches> {
    const { selection, question: image, limit } = search;
    const { pages, matching, candidates } = await this.pages.search(scope, selection, image, limit);
    const text = matching === 0 ? '' : (await image()).text;
    const best = new Map(pages.map((page) => [placeOf(page), page]));
    if (text !== '') {
      const { matches } = await this.pagesOfPassages(scope, { ...search, question: text });
      for (const page of matches.filter(isPage)) {
        if (page.score > (best.get(placeOf(page))?.score ?? 0)) best.set(placeOf(page), page);
      }
    }
    return {
      matches: [...best.values()].sort(byScore).slice(0, limit),
      plan: { path: 'empty', matchingChunks: 0, candidates: 0, pages: { matching, candidates } },
    };
  }
}

function placeOf({ document_id: id, page_number: number }: ScoredPage): string {
  return `${id} ${number}`;
}
