import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import type { ScoredChunk } from '../chunks/chunk.js';
import { countingTerms, type QueryStatistics } from '../chunks/bm25.js';
import { ChunkRepository, type ExactResult } from '../chunks/chunk.repository.js';
import { EXACT_GUARD, EXACT_LIMIT, MAIN_SHARE_OF_INDEX, SAMPLED_PARTS } from '../chunks/cost-model.js';
import { DENSE_ONLY, HYBRID, scoredQuery, type FusionWeights, type SearchQuery } from '../chunks/fusion.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import {
  compileSelection,
  lookedUpIn,
  type CompiledSelection,
  type DocumentSelection,
} from '../filters/document-predicate.js';
import { EVERYTHING } from '../filters/filter.js';
import { orderedPartsOf } from '../filters/sql/ordered-part.js';
import { candidateTerms, estimatedChunks, findingPart, roundsFor, scanOf, type Estimate } from './planner.js';
import type { RetrievalPlan } from './retrieval.types.js';
import { endsSearch } from './stopping-rule.js';

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
    { vector, terms, explain = false }: Omit<SearchQuery, 'weights'>,
    limit: number,
    minScore: number,
  ): Promise<SearchOutcome> {
    const { weights } = this;
    const asked = await this.chunks.statistics(scope, weights.lexical > 0 ? terms : []);
    const statistics = { ...asked, terms: countingTerms(asked.terms) };
    const corpus = statistics.corpus.chunkCount;
    if (corpus === 0) return { chunks: [], plan: { path: 'empty', matchingChunks: 0, candidates: 0 } };
    const compiled = compileSelection(scope, selection);
    const estimate = await this.estimate(scope, selection, compiled, vector, statistics);
    const { foundBy } = estimate;
    const selected = foundBy === null ? compiled : lookedUpIn(scope, compiled, foundBy);
    const query = scoredQuery({ vector, weights, explain }, statistics);
    const matching = estimatedChunks(estimate);
    if (matching <= EXACT_LIMIT) {
      const counted = await this.chunks.searchExact(scope, selected, query, { limit, guard: EXACT_GUARD });
      if (counted.matching <= EXACT_GUARD) return outcome('exact', counted, minScore);
    }
    const hasWords = query.terms.some(({ chunkCount }) => chunkCount > 0);
    const bounds = { limit, candidateTerms: candidateTerms(query.terms) };
    for (const round of roundsFor(limit, estimate, hasWords)) {
      const found = await this.chunks.searchCandidates(scope, selected, query, { ...bounds, ...round });
      if (endsSearch(found, round, query, { limit, minScore }))
        return outcome(round.nearestBy, { ...found, matching }, minScore, round.candidates);
    }
    const { chunks } = await this.chunks.searchCandidates(scope, selected, query, {
      ...scanOf(limit, estimate),
      limit,
      candidateTerms: query.terms,
    });
    return outcome('exact-after-all', { chunks, matching }, minScore);
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

/** Whether anything but the tenant narrows the search. */
function isRestricted({ filter, folders, endUserId, documentIds }: DocumentSelection): boolean {
  return [filter, folders, endUserId, documentIds].some((part) => part !== null && part !== undefined);
}

function outcome(
  path: RetrievalPlan['path'],
  { chunks, matching }: ExactResult,
  minScore: number,
  candidates = matching,
): SearchOutcome {
  return { chunks: atLeast(chunks, minScore), plan: { path, matchingChunks: matching, candidates } };
}

function atLeast(chunks: readonly ScoredChunk[], minScore: number): readonly ScoredChunk[] {
  return chunks.filter(({ score }) => score >= minScore);
}
