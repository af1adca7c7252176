import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import type { ScoredChunk } from '../chunks/chunk.js';
import {
  ChunkRepository,
  type CandidateResult,
  type ExactResult,
  type QueryStatistics,
  type SearchQuery,
} from '../chunks/chunk.repository.js';
import { EXACT_GUARD, EXACT_LIMIT, MAIN_SHARE_OF_INDEX, SAMPLED_PARTS } from '../chunks/cost-model.js';
import { DENSE_ONLY, HYBRID, type FusionWeights } from '../chunks/fusion.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import {
  compileSelection,
  lookedUpIn,
  type CompiledSelection,
  type DocumentSelection,
} from '../filters/document-predicate.js';
import { EVERYTHING } from '../filters/filter.js';
import { orderedPartsOf } from '../filters/ordered-part.js';
import { candidateTerms, estimatedChunks, findingPart, roundsFor, type Estimate } from './planner.js';
import type { RetrievalPlan } from './retrieval.types.js';

export interface SearchOutcome {
  readonly chunks: readonly ScoredChunk[];
  readonly plan: RetrievalPlan;
}

/**
 * Finds the best matching chunks. The number of results is min(limit, matching chunks with a score of at least
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
    const compiled = compileSelection(scope, selection);
    const estimate = await this.estimate(scope, selection, compiled, query.vector, statistics);
    const { foundBy } = estimate;
    const selected = foundBy === null ? compiled : lookedUpIn(scope, compiled, foundBy);
    const exact = (guard: number | null): Promise<ExactResult> =>
      this.chunks.searchExact(scope, selected, weighted, statistics, { limit, guard });
    if (estimatedChunks(estimate) <= EXACT_LIMIT) {
      const counted = await exact(EXACT_GUARD);
      if (counted.matching <= EXACT_GUARD) return outcome('exact', counted, minScore);
    }
    const hasWords = statistics.terms.some(({ chunkCount }) => chunkCount > 0);
    const rounds = roundsFor(limit, estimate, hasWords);
    const bounds = { limit, candidateTerms: candidateTerms(statistics.terms) };
    for (const round of rounds) {
      const found = await this.chunks.searchCandidates(scope, selected, weighted, statistics, {
        ...bounds,
        ...round,
      });
      const isTrusted = round.isThorough || found.isConfirmed;
      if (
        (isTrusted && isWhole(found, limit, minScore)) ||
        (round.isThorough && isEnough(found, limit, minScore))
      ) {
        const { nearestBy: path, candidates } = round;
        return {
          chunks: atLeast(found.chunks, minScore),
          plan: { path, matchingChunks: estimatedChunks(estimate), candidates },
        };
      }
    }
    return outcome('exact-after-all', await exact(null), minScore);
  }

  /** Nothing is sampled when all that a tenant has matches and the index holds little else. */
  private async estimate(
    scope: Scope,
    selection: DocumentSelection,
    compiled: CompiledSelection,
    vector: Float32Array,
    { corpus: { chunkCount: corpus }, shareOfAll }: QueryStatistics,
  ): Promise<Estimate> {
    const isAll = !isRestricted(selection) && shareOfAll >= MAIN_SHARE_OF_INDEX;
    if (isAll || corpus <= EXACT_LIMIT) return { corpus, ...EVERYTHING_MATCHES };
    const parts = orderedPartsOf(selection.filter ?? EVERYTHING).slice(0, SAMPLED_PARTS);
    const sample = await this.chunks.sample(scope, compiled, parts, vector);
    return { corpus, ...sample, foundBy: findingPart(sample) };
  }
}

const EVERYTHING_MATCHES = { share: 1, near: 0, nearMatching: 0, foundBy: null };

/** No chunk outside the candidates can belong to the answer. */
function isWhole({ chunks, stoppingBound }: CandidateResult, limit: number, minScore: number): boolean {
  const last = chunks.length < limit ? undefined : chunks[limit - 1];
  return Math.max(last?.score ?? 0, minScore) > stoppingBound;
}

/** An answer as long as asked for, of the nearest chunks there are: what is outside may be better, but hardly is. */
function isEnough({ chunks, foundAllNear }: CandidateResult, limit: number, minScore: number): boolean {
  return foundAllNear && atLeast(chunks, minScore).length >= limit;
}

/** Whether anything but the tenant narrows the search. */
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
