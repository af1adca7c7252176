import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { shardsOf } from '../auth/tenant-shards.js';
import { Unavailable } from '../errors/index.js';
import { compileSelection, type DocumentSelection } from '../filters/document-predicate.js';
import type { MultiVector } from '../multivector/page-embedder.js';
import { timed } from '../request/request-context.js';
import { MaxSimThreads } from './max-sim-threads.js';
import { queryVectorText } from './column-text.js';
import type { CandidatePage, ScoredPage } from './page.js';
import { pooled } from './page-vectors.js';
import { MOST_COUNTED, PageRepository, type Target } from './page.repository.js';

/** Pages that are compared exactly beyond those that are asked for. */
const SPARE_CANDIDATES = 100;

/** What is compared of a page that no model has seen: nothing, which scores 0. */
const UNSEEN = new Uint8Array();

/** What pages are searched by; one of the two is given. */
export interface PageQuestion {
  /** null: there is no model that sees pages. */
  readonly vectors: MultiVector | null;
  /** Of an image; null: the question is a text, or an image of one colour. */
  readonly fingerprint: string | null;
}

export interface PageSearchOutcome {
  /** Best first. */
  readonly pages: readonly ScoredPage[];
  /** Matching pages, counted to a thousand; more are a thousand and one. */
  readonly matching: number;
  readonly candidates: number;
}

/**
 * Finds pages by their images. By late interaction, where a model sees them: candidates by one vector a page, then every
 * vector of theirs compared exactly, so that a score depends on the question and the page alone. By the fingerprint of an
 * image, with or without such a model. The number of results is min(limit, matching pages).
 */
@Injectable()
export class PageSearch {
  constructor(
    private readonly pages: PageRepository,
    private readonly threads: MaxSimThreads,
  ) {}

  /**
   * @param ask makes the question comparable, once it is known that there is a page to be found; null: it cannot be
   *   compared with anything
   * @throws Unavailable when the pages have vectors of another length than the question.
   */
  async search(
    scope: Scope,
    selection: DocumentSelection,
    ask: () => Promise<PageQuestion | null>,
    limit: number,
  ): Promise<PageSearchOutcome> {
    let asking: Promise<PageQuestion | null> | undefined;
    const askOnce = () => (asking ??= ask());
    const parts = await Promise.all(
      shardsOf(scope).map((part) => this.searchPart(part, selection, askOnce, limit)),
    );
    const pages = parts.flatMap((part) => part.pages);
    return {
      pages: parts.length === 1 ? pages : pages.sort(byRank).slice(0, limit),
      matching: Math.min(
        MOST_COUNTED,
        parts.reduce((sum, { matching }) => sum + matching, 0),
      ),
      candidates: parts.reduce((sum, { candidates }) => sum + candidates, 0),
    };
  }

  private async searchPart(
    scope: Scope,
    selection: DocumentSelection,
    ask: () => Promise<PageQuestion | null>,
    limit: number,
  ): Promise<PageSearchOutcome> {
    const compiled = compileSelection(scope, selection);
    const { matching, dimensions } = await timed('db', () => this.pages.count(scope, compiled));
    const question = matching === 0 ? null : await timed('embed', ask);
    if (question === null) return { pages: [], matching, candidates: 0 };
    refuseOther(question, dimensions);
    return timed('db', async () => {
      const bounds = { matching, limit: limit + SPARE_CANDIDATES };
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

  /** Late interaction, or how alike the images are, where that is more. */
  private async scored(
    { vectors }: PageQuestion,
    candidates: readonly CandidatePage[],
  ): Promise<ScoredPage[]> {
    const stored = candidates.map((page) => page.vectors ?? UNSEEN);
    const similarities = vectors === null ? [] : await this.threads.scores(vectors, stored);
    return candidates.map(({ page_id: _id, vectors: _vectors, likeness, ...page }, at) => {
      return { ...page, score: Math.max(similarities[at] ?? 0, likeness ?? 0) };
    });
  }
}

/** @throws Unavailable when the vectors of a question have another length than those of the pages. */
function refuseOther({ vectors }: PageQuestion, dimensions: number | null): void {
  if (vectors === null || vectors.dims === dimensions) return;
  throw new Unavailable(
    `The stored pages have vectors of ${dimensions ?? 'no'} dimensions, and the page embedder now makes them with ${vectors.dims}`,
  );
}

function targetsOf({ vectors, fingerprint }: PageQuestion): Target[] {
  const targets: Target[] = [];
  if (fingerprint !== null) targets.push({ by: 'fingerprint', fingerprint });
  if (vectors !== null) {
    targets.push({
      by: 'vector',
      pooled: queryVectorText(pooled(vectors)),
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
