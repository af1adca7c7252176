import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import type { ScoredChunk } from '../chunks/chunk.js';
import { ChunkRepository, type ExactResult, type SearchQuery } from '../chunks/chunk.repository.js';
import { DENSE_ONLY, HYBRID, type FusionWeights } from '../chunks/fusion.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { candidateCount, candidateTerms, EXACT_LIMIT } from './planner.js';
import type { RetrievalPlan } from './retrieval.types.js';

export interface SearchOutcome {
  readonly chunks: readonly ScoredChunk[];
  readonly plan: RetrievalPlan;
}

/**
 * Finds the best chunks in scope. The number of results is min(limit, chunks in scope with a score of at least
 * `minScore`) at every selectivity: a search through the index that may have missed one is repeated exactly.
 */
@Injectable()
export class ChunkSearch {
  readonly weights: FusionWeights;

  constructor(
    private readonly chunks: ChunkRepository,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.weights = settings.RETRIEVAL === 'hybrid' ? HYBRID : DENSE_ONLY;
  }

  async search(
    scope: Scope,
    selection: DocumentSelection,
    query: Omit<SearchQuery, 'weights'>,
    limit: number,
    minScore: number,
  ): Promise<SearchOutcome> {
    const weighted: SearchQuery = { ...query, weights: this.weights };
    const statistics = await this.chunks.statistics(scope, this.weights.lexical > 0 ? query.terms : []);
    const corpus = statistics.corpus.chunkCount;
    if (corpus === 0) return { chunks: [], plan: { path: 'empty', matchingChunks: 0, candidates: 0 } };
    const exact = (guard: number | null): Promise<ExactResult> =>
      this.chunks.searchExact(scope, selection, weighted, statistics, { limit, guard });

    let matching = corpus;
    if (isRestricted(selection) || corpus <= EXACT_LIMIT) {
      const counted = await exact(EXACT_LIMIT);
      if (counted.matching <= EXACT_LIMIT) return outcome('exact', counted, minScore);
      matching = counted.matching;
    }
    const candidates = candidateCount(limit);
    const { chunks, reach } = await this.chunks.searchIndexed(scope, selection, weighted, statistics, {
      limit,
      candidates,
      candidateTerms: candidateTerms(statistics.terms),
    });
    const passing = atLeast(chunks, minScore);
    const short = passing.length < Math.min(limit, matching);
    if (short && (chunks.length < limit || minScore <= reach)) {
      return outcome('index-then-exact', await exact(null), minScore);
    }
    return { chunks: passing, plan: { path: 'index', matchingChunks: matching, candidates } };
  }
}

/** Whether anything but the tenant narrows the search: then the chunks in scope have to be counted. */
function isRestricted({ filter, folders, endUserId, documentIds }: DocumentSelection): boolean {
  return [filter, folders, endUserId, documentIds].some((part) => part !== null && part !== undefined);
}

function outcome(
  path: RetrievalPlan['path'],
  { chunks, matching }: ExactResult,
  minScore: number,
): SearchOutcome {
  return {
    chunks: atLeast(chunks, minScore),
    plan: { path, matchingChunks: matching, candidates: matching },
  };
}

function atLeast(chunks: readonly ScoredChunk[], minScore: number): readonly ScoredChunk[] {
  return chunks.filter(({ score }) => score >= minScore);
}
