import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Scope } from '../auth/scope.js';
import { partsOf } from '../auth/tenant-parts.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Embedder } from '../embedding/embedder.js';
import {
  compileSelection,
  foundWithin,
  type CompiledSelection,
  type DocumentSelection,
} from '../filters/document-predicate.js';
import { EVERYTHING } from '../filters/filter.js';
import { isInRange, rangesOf } from '../filters/sql/ordered-range.js';
import { termNumber } from '../lexical/impacts.js';
import type { ScoredChunk } from './chunk.js';
import { ChunkRepository, type WalkResult } from './chunk.repository.js';
import { isFar, measuring, wayOf, wayToFar, wordCandidates, type Outlook, type Walk } from './plan.js';
import { askedTerms, keysOf, questionWords, sum } from './question-words.js';
import { DENSE_ONLY, hybridWeights, mostBeyond, type ScoredQuery } from './scores.js';

/** What is searched for: one question in both its forms. */
export interface SearchQuery {
  /** Unit vector in the service's embedding space. */
  readonly vector: Float32Array;
  /** Distinct lexical terms. */
  readonly terms: readonly string[];
  /** Share of it that the embedding model cannot read, 0 to 1. */
  readonly unreadable: number;
  /** Those of the terms that are of identifiers which the model cannot read. */
  readonly identifiers: readonly string[];
}

/** Which way a search took and what it counted. */
export interface SearchPlan {
  /**
   * `exact`: every matching chunk was measured; `index`: the nearest ones along the vector index and those with the
   * words of the question; `exact-after-all`: those were too few.
   */
  readonly path: 'exact' | 'index' | 'exact-after-all' | 'empty';
  /** Counted where all were measured, otherwise estimated from a sample. */
  readonly matchingChunks: number;
  /** Nearest chunks that were taken. */
  readonly candidates: number;
}

export interface SearchOutcome {
  readonly chunks: readonly ScoredChunk[];
  readonly plan: SearchPlan;
}

/** What is known of the part of a corpus that a selection takes. */
interface SelectionShare {
  /** Of the tenant's chunks, 0 to 1, from a sample of the documents. */
  readonly share: number;
  /** Position among the ranges of the filter of the one that documents are looked up in; null: none. */
  readonly foundBy: number | null;
}

const EVERYTHING_MATCHES: SelectionShare = { share: 1, foundBy: null };

/** A part of a tenant, or an undivided one, before it is searched. */
interface PartStatistics {
  readonly scope: Scope;
  /** Its chunks. */
  readonly corpus: number;
  /** Those under each key. */
  readonly holding: readonly number[];
  /** Those that match, as far as a sample tells. */
  readonly matching: number;
  readonly selection: CompiledSelection;
}

interface PartSearch extends PartStatistics {
  readonly query: ScoredQuery;
  readonly limit: number;
  /** Whether the selection takes every document. */
  readonly takesAll: boolean;
}

interface PartResult {
  readonly part: PartSearch;
  /** Best first. */
  readonly chunks: readonly ScoredChunk[];
  /** Of a walk: see {@link WalkResult}. */
  readonly farthest?: WalkResult['farthest'];
  readonly plan: SearchPlan;
}

/** Selections whose share is remembered, and for how many milliseconds. One that has gone out of date costs time only. */
const REMEMBERED = { max: 1_000, ttl: 10_000 };

/** Ranges of a filter that are tried on a sample. */
const SAMPLED_RANGES = 8;

/** Part of the corpus from which reading every document is quicker than looking them up in a range of the filter. */
const MAX_RANGE_SHARE = 0.25;

/** Tenants of which it is remembered, and for how many milliseconds, how many chunks are in their index; most share one. */
const INDEXED_REMEMBERED = { max: 1_000, ttl: 30_000 };
const ALL_TENANTS = '';

/**
 * Finds the best matching chunks. The number of results is min(limit, matching chunks with a score of at least
 * `minScore`) at every selectivity: where a walk through the index may have missed one, all are measured.
 */
@Injectable()
export class ChunkSearch {
  private readonly isHybrid: boolean;
  private readonly shares = new LRUCache<string, SelectionShare>(REMEMBERED);
  private readonly indexed = new LRUCache<string, number>(INDEXED_REMEMBERED);

  constructor(
    private readonly chunks: ChunkRepository,
    private readonly embedder: Embedder,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.isHybrid = settings.RETRIEVAL === 'hybrid';
  }

  /** The parts of a tenant are searched side by side, with the same weights, and make one ranking. */
  async search(
    scope: Scope,
    selection: DocumentSelection,
    { vector, terms, unreadable, identifiers }: SearchQuery,
    limit: number,
    minScore: number,
  ): Promise<SearchOutcome> {
    const numbers = this.isHybrid ? [...new Set(terms.map(termNumber))] : [];
    const statistics = await Promise.all(
      partsOf(scope).map((part) => this.statisticsOf(part, selection, numbers)),
    );
    const corpus = sum(statistics.map((part) => part.corpus));
    if (corpus === 0) return { chunks: [], plan: { path: 'empty', matchingChunks: 0, candidates: 0 } };
    const holding = statistics.map((part) => part.holding).reduce(added);
    const asked = askedTerms(numbers, holding, identifiers.map(termNumber));
    const hybrid = hybridWeights(unreadable);
    const parts = statistics
      .filter((part) => part.corpus > 0)
      .map((part): PartSearch => {
        // They differ in nothing but the keys, which are those of the part.
        const words = questionWords(part.scope.appId, asked, corpus, wordCandidates(hybrid));
        const weights = words.bound === 0 ? DENSE_ONLY : hybrid;
        const query = { vector, cosineFloor: this.embedder.cosineFloor, words, weights };
        return { ...part, query, limit, takesAll: !isRestricted(selection) };
      });
    const first = await Promise.all(parts.map((part) => this.searchPart(part)));
    const isFull = atLeast(best(first, limit), minScore).length >= limit;
    const found = await Promise.all(
      first.map(async (result) =>
        foundAll(result, isFull, minScore) ? result : this.measure(result.part, 'exact-after-all'),
      ),
    );
    return { chunks: atLeast(best(found, limit), minScore), plan: planOf(found.map(({ plan }) => plan)) };
  }

  /** What is known of a part of a tenant before it is searched. */
  private async statisticsOf(
    scope: Scope,
    selection: DocumentSelection,
    terms: readonly number[],
  ): Promise<PartStatistics> {
    const ranges = rangesOf(selection.filter ?? EVERYTHING).slice(0, SAMPLED_RANGES);
    const compiled = compileSelection(scope, selection);
    const key = JSON.stringify([scope.appId, selection]);
    const known = isRestricted(selection) ? this.shares.get(key) : EVERYTHING_MATCHES;
    const {
      chunkCount: corpus,
      holding,
      shares = [],
    } = await this.chunks.statistics(scope, {
      keys: keysOf(scope.appId, terms),
      sample: known === undefined ? { selection: compiled, parts: ranges.map(isInRange) } : null,
    });
    if (corpus === 0) return { scope, corpus, holding, matching: 0, selection: compiled };
    const { share, foundBy } = known ?? this.rememberShare(key, shares);
    const range = foundBy === null ? undefined : ranges[foundBy];
    const selected = range === undefined ? compiled : foundWithin(scope, compiled, range);
    return { scope, corpus, holding, matching: Math.round(share * corpus), selection: selected };
  }

  /** Walks a second time and wider where what matches turns out to be far from the question. */
  private async searchPart(part: PartSearch): Promise<PartResult> {
    const outlook = await this.outlookOf(part);
    const way = wayOf(outlook);
    if (way.measures) return this.measure(part, 'exact');
    const walked = await this.walk(part, way);
    if (!isFar(outlook, walked.around, way.candidates)) return walked;
    const wider = wayToFar(outlook);
    return wider.measures ? this.measure(part, 'exact') : this.walk(part, wider);
  }

  private async walk(part: PartSearch, way: Walk): Promise<PartResult & WalkResult> {
    const { scope, query, selection, limit, takesAll, matching } = part;
    const walked = await this.chunks.walk(scope, query, { ...way, selection, limit, takesAll });
    const plan = { path: 'index', matchingChunks: matching, candidates: way.candidates } as const;
    return { ...walked, part, plan };
  }

  private async measure(part: PartSearch, path: 'exact' | 'exact-after-all'): Promise<PartResult> {
    const { scope, query, selection, limit } = part;
    const { looksUp } = measuring(await this.outlookOf(part));
    const { chunks, matching } = await this.chunks.measure(scope, query, { selection, limit, looksUp });
    return { part, chunks, plan: { path, matchingChunks: matching, candidates: matching } };
  }

  private async outlookOf({ scope, limit, matching, corpus }: PartSearch): Promise<Outlook> {
    return { limit, matching, corpus, allChunks: Math.max(await this.indexedFor(scope), corpus) };
  }

  /** Chunks in the index of the tenant. */
  private async indexedFor(scope: Scope): Promise<number> {
    const known = this.indexed.get(ALL_TENANTS) ?? this.indexed.get(scope.appId);
    if (known !== undefined) return known;
    const { chunks, ofAllTenants } = await this.chunks.indexed(scope);
    this.indexed.set(ofAllTenants ? ALL_TENANTS : scope.appId, chunks);
    return chunks;
  }

  /** @param shares of the selection, and of each range of its filter */
  private rememberShare(key: string, [share = 0, ...ofRanges]: readonly number[]): SelectionShare {
    const narrowest = Math.min(...ofRanges);
    const known = { share, foundBy: narrowest <= MAX_RANGE_SHARE ? ofRanges.indexOf(narrowest) : null };
    this.shares.set(key, known);
    return known;
  }
}

/** Whether anything but the tenant narrows the search. */
function isRestricted({ filter, folders, endUserId, documentIds }: DocumentSelection): boolean {
  return [filter, folders, endUserId, documentIds].some((part) => part !== null && part !== undefined);
}

/**
 * Whether the part of a tenant has no other chunk that belongs to the answer: all were measured, or the walk came as far as
 * it was to, and there are as many as asked for, or none beyond can have the score that is asked for.
 * @param isFull whether there are as many as asked for in all parts together
 */
function foundAll({ part, farthest, plan }: PartResult, isFull: boolean, minScore: number): boolean {
  if (plan.path !== 'index') return true;
  if (farthest === null || farthest === undefined) return false;
  return isFull || mostBeyond(farthest, part.query) < minScore;
}

function atLeast(chunks: readonly ScoredChunk[], minScore: number): readonly ScoredChunk[] {
  return chunks.filter(({ score }) => score >= minScore);
}

/** The best of what the parts of a tenant found, in the order in which statements have them. */
function best(results: readonly PartResult[], limit: number): readonly ScoredChunk[] {
  const [first, ...others] = results;
  if (first === undefined || others.length === 0) return first?.chunks ?? [];
  return results
    .flatMap(({ chunks }) => chunks)
    .sort(byRank)
    .slice(0, limit);
}

function byRank(one: ScoredChunk, other: ScoredChunk): number {
  if (one.score !== other.score) return other.score - one.score;
  if (one.document_id !== other.document_id) return one.document_id < other.document_id ? -1 : 1;
  return one.chunk_number - other.chunk_number;
}

/** The plans of the parts of a tenant as one: the path that took longest, and what was counted together. */
function planOf(plans: readonly SearchPlan[]): SearchPlan {
  const taken = new Set(plans.map(({ path }) => path));
  return {
    path: (['exact-after-all', 'index'] as const).find((path) => taken.has(path)) ?? 'exact',
    matchingChunks: sum(plans.map(({ matchingChunks }) => matchingChunks)),
    candidates: sum(plans.map(({ candidates }) => candidates)),
  };
}

function added(some: readonly number[], others: readonly number[]): readonly number[] {
  return some.map((count, at) => count + (others[at] ?? 0));
}
