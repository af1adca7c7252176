import { Injectable } from '@nestjs/common';
import { type Scope, shardsOf } from '../auth/scope.js';
import { Unavailable } from '../errors/index.js';
import { compileSelection, type DocumentSelection } from '../filters/document-predicate.js';
import type { MultiVector } from '../models/multivector/page-embedder.js';
import { timed } from '../request/request-context.js';
import { MaxSimThreads } from './max-sim-threads.js';
import { vectorText } from '../chunks/vectors/vector-column.js';
import { PageSpace } from '../chunks/vectors/vector-space.js';
import type { CandidatePage, ScoredPage } from './page.js';
import { pooled } from './page-vectors.js';
import { MAX_COUNTED, PageRepository, type Target } from './page.repository.js';

/**
 * Number of candidates that are scored exactly, in addition to the requested number of results. Of 50,000 synthetic
 * pages, the ten best are among the first 110 by pooled vectors in .80 of the cases, among 210 in .99, among 410 in all.
 * Two means a page instead of one find no more.
 */
const OVERSAMPLING = 250;

/** Vectors of a page that is not embedded. The score of such a page is 0. */
const NO_VECTORS = new Uint8Array();

/** The question of a page search. At least one member is not null. */
export interface PageQuestion {
  /** null: no page embedder is configured. */
  readonly vectors: MultiVector | null;
  /** Fingerprint of a query image; null: the question is a text, or an image of a single colour. */
  readonly fingerprint: string | null;
}

export interface PageSearchOutcome {
  /** Best first. */
  readonly pages: readonly ScoredPage[];
  /** Number of matching pages; at most {@link MAX_COUNTED}. */
  readonly matching: number;
  readonly candidates: number;
}

/**
 * Searches pages by their images. With a page embedder, collects candidates by the pooled vectors of pages, and then
 * scores the candidates exactly by late interaction; a score depends only on the question and the page. For a query
 * image, also finds pages by fingerprint, with or without a page embedder. Returns `limit` results, or all matching
 * pages if these are fewer.
 */
@Injectable()
export class PageSearch {
  constructor(
    private readonly pages: PageRepository,
    private readonly threads: MaxSimThreads,
    private readonly space: PageSpace,
  ) {}

  /**
   * @param ask embeds the question; called only if a page matches. `ask` returns null if the question cannot be
   *   compared with pages
   * @throws Unavailable if the pages have vectors of another model.
   */
  async search(
    scope: Scope,
    selection: DocumentSelection,
    ask: () => Promise<PageQuestion | null>,
    limit: number,
  ): Promise<PageSearchOutcome> {
    await this.space.requireOwn();
    let asking: Promise<PageQuestion | null> | undefined;
    const askOnce = () => (asking ??= ask());
    const shards = await Promise.all(
      shardsOf(scope).map((shard) => this.searchShard(shard, selection, askOnce, limit)),
    );
    const pages = shards.flatMap((shard) => shard.pages);
    return {
      pages: shards.length === 1 ? pages : pages.sort(byRank).slice(0, limit),
      matching: Math.min(
        MAX_COUNTED,
        shards.reduce((sum, { matching }) => sum + matching, 0),
      ),
      candidates: shards.reduce((sum, { candidates }) => sum + candidates, 0),
    };
  }

  private async searchShard(
    scope: Scope,
    selection: DocumentSelection,
    ask: () => Promise<PageQuestion | null>,
    limit: number,
  ): Promise<PageSearchOutcome> {
    const compiled = compileSelection(scope, selection);
    const { matching, dimensions } = await timed('db', () => this.pages.count(scope, compiled));
    const question = matching === 0 ? null : await timed('embed', ask);
    if (question === null) return { pages: [], matching, candidates: 0 };
    requireSameDimensions(question, dimensions);
    return timed('db', async () => {
      const bounds = { matching, limit: limit + OVERSAMPLING };
      const found = new Map<string, CandidatePage>();
      for (const target of targetsOf(question)) {
        for (const page of await this.pages.nearest(scope, compiled, target, bounds)) {
          found.set(page.page_id, page);
        }
      }
      const candidates = [...found.values()];
      const scored = await this.scored(question, candidates);
      return { pages: scored.sort(byRank).slice(0, limit), matching, candidates: candidates.length };
    });
  }

  /** Scores candidates. The score is the higher of late interaction and fingerprint similarity. */
  private async scored(
    { vectors }: PageQuestion,
    candidates: readonly CandidatePage[],
  ): Promise<ScoredPage[]> {
    const stored = candidates.map((page) => page.vectors ?? NO_VECTORS);
    const similarities = vectors === null ? [] : await this.threads.scores(vectors, stored);
    return candidates.map(({ page_id: _id, vectors: _vectors, likeness, ...page }, at) => {
      return { ...page, score: Math.max(similarities[at] ?? 0, likeness ?? 0) };
    });
  }
}

/** @throws Unavailable if the question and the pages have vectors of different dimensions. */
function requireSameDimensions({ vectors }: PageQuestion, dimensions: number | null): void {
  if (vectors === null || vectors.dims === dimensions) return;
  throw new Unavailable(
    `The stored pages have vectors of ${dimensions ?? 'no'} dimensions, but the page embedder returned ${vectors.dims}`,
  );
}

function targetsOf({ vectors, fingerprint }: PageQuestion): Target[] {
  const targets: Target[] = [];
  if (fingerprint !== null) targets.push({ by: 'fingerprint', fingerprint });
  if (vectors !== null) {
    targets.push({
      by: 'vector',
      pooled: vectorText(pooled(vectors)),
      dimensions: vectors.dims,
      fingerprint,
    });
  }
  return targets;
}

function byRank(one: ScoredPage, other: ScoredPage): number {
  return (
    other.score - one.score ||
    one.document_id.localeCompare(other.document_id) ||
    one.page_number - other.page_number
  );
}
