import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Scope, shardsOf } from '../auth/scope.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Embedder } from '../embedding/embedder.js';
import {
  compileSelection,
  foundWithin,
  type CompiledSelection,
  type DocumentSelection,
} from '../filters/document-predicate.js';
import { EVERYTHING } from '../filters/filter.js';
import { VECTOR_STORES_FOLDER } from '../filters/folders.js';
import { isInRange, rangesOf } from '../filters/sql/ordered-range.js';
import { analyseQuery } from '../lexical/analyse.js';
import { termNumber } from '../lexical/impacts.js';
import { timed } from '../request/request-context.js';
import type { ScoredChunk } from './chunk.js';
import { ChunkRepository, type HnswResult } from './chunk.repository.js';
import {
  chooseStrategy,
  fullScan,
  isAnticorrelated,
  lexicalCandidates,
  widenedStrategy,
  type CardinalityEstimate,
  type HnswStrategy,
} from './search-strategy.js';
import { keysOf, queryTermsOf, questionWords, sum } from './bm25.js';
import { StatisticsCache, type TermStatistics } from './statistics-cache.js';
import { DENSE_ONLY, hybridWeights, maxScoreBeyond, type ScoredQuery } from './hybrid-score.js';

/** A question in words, and the documents and limits of its search. */
export interface TextSearch {
  readonly selection: DocumentSelection;
  readonly question: string;
  /** Additional terms for the lexical search; never embedded. */
  readonly expansion: readonly string[];
  readonly limit: number;
  /** Minimum score of a match. */
  readonly minScore: number;
}

/** A question as a vector and as terms. */
export interface SearchQuery {
  /** Unit vector in the service's embedding space. */
  readonly vector: Float32Array;
  /** Distinct lexical terms. */
  readonly terms: readonly string[];
  /** Share of the question that the embedding model cannot read (out of its vocabulary), 0 to 1. */
  readonly unreadable: number;
  /** The subset of `terms` from identifiers that the embedding model cannot read. */
  readonly identifiers: readonly string[];
}

/** A search of all shards of a tenant. */
interface TenantSearch {
  readonly scope: Scope;
  readonly selection: DocumentSelection;
  readonly query: SearchQuery;
  /** Numbers of the distinct terms; empty for a search by vector alone. */
  readonly terms: readonly number[];
  readonly limit: number;
  readonly minScore: number;
}

/** The path and counts of a search, for `explain` and logs. */
export interface SearchPlan {
  /**
   * `exact`: a full scan scored every matching chunk. `index`: an HNSW search and the inverted index gave the candidates.
   * `exact-fallback`: a full scan ran because the HNSW search may have missed a result. `empty`: the tenant has no chunks.
   */
  readonly path: 'exact' | 'index' | 'exact-fallback' | 'empty';
  /** Exact after a full scan, otherwise estimated from a sample. */
  readonly matchingChunks: number;
  /** Chunks that the vector side contributed. */
  readonly candidates: number;
}

export interface SearchOutcome {
  readonly chunks: readonly ScoredChunk[];
  readonly plan: SearchPlan;
}

/** Selectivity of a filter, and the range predicate that finds its documents fastest. */
interface Selectivity {
  /** Share of the tenant's chunks that pass, 0 to 1, estimated from a sample of its documents. */
  readonly share: number;
  /** Index of the filter's range that documents are looked up by; null: none is selective enough. */
  readonly lookupRange: number | null;
}

const EVERYTHING_MATCHES: Selectivity = { share: 1, lookupRange: null };

/** Statistics of one tenant shard. An undivided tenant is a single shard. */
interface ShardStatistics extends TermStatistics {
  readonly scope: Scope;
  /** Whether the statistics come from the cache, and the search has to check their version. */
  readonly isCached: boolean;
  /** Whether the selection includes every document of the shard. */
  readonly isUnfiltered: boolean;
  /** Chunks that pass the filter, estimated from a sample. */
  readonly matching: number;
  readonly selection: CompiledSelection;
}

interface KnownStatistics {
  readonly statistics: TermStatistics;
  readonly selectivity: Selectivity;
}

interface ShardSearch extends ShardStatistics {
  readonly query: ScoredQuery;
  readonly limit: number;
}

interface ShardResult {
  readonly shard: ShardSearch;
  /** Best first. */
  readonly chunks: readonly ScoredChunk[];
  readonly version: HnswResult['version'];
  /** Set by an HNSW search: see {@link HnswResult}. */
  readonly farthest?: HnswResult['farthest'];
  readonly plan: SearchPlan;
}

/** Size and lifetime (ms) of the selectivity cache. */
const SELECTIVITY_CACHE = { max: 1_000, ttl: 10_000 };

/** Ranges of a filter whose selectivity is sampled. */
const SAMPLED_RANGES = 8;

/** Above this selectivity, reading every document is faster than looking documents up by a range. */
const MAX_LOOKUP_SHARE = 0.25;

/** Size and lifetime (ms) of the cache of index sizes. Tenants usually share one index, hence one entry. */
const INDEX_SIZE_CACHE = { max: 1_000, ttl: 30_000 };
const ALL_TENANTS = '';

/**
 * Finds the best matching chunks. At every selectivity it returns min(limit, matching chunks that score at least
 * `minScore`): when the HNSW search may have missed one, a full scan follows.
 */
@Injectable()
export class ChunkSearch {
  private readonly isHybrid: boolean;
  private readonly selectivities = new LRUCache<string, Selectivity>(SELECTIVITY_CACHE);
  private readonly indexSizes = new LRUCache<string, number>(INDEX_SIZE_CACHE);
  private readonly statistics = new StatisticsCache();

  constructor(
    private readonly chunks: ChunkRepository,
    private readonly embedder: Embedder,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.isHybrid = settings.RETRIEVAL === 'hybrid';
  }

  /**
   * Embeds a question and searches its passages.
   * @throws ProviderFailed when the embedding model fails.
   */
  async searchText(
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
    return timed('db', () => this.search(scope, selection, query, limit, minScore));
  }

  /**
   * Searches all shards of a tenant concurrently with the same weights and merges the results into one ranking. Repeats the
   * search when the chunks have changed since their statistics were cached.
   */
  async search(
    scope: Scope,
    selection: DocumentSelection,
    query: SearchQuery,
    limit: number,
    minScore: number,
  ): Promise<SearchOutcome> {
    const terms = this.isHybrid ? [...new Set(query.terms.map(termNumber))] : [];
    const search = { scope, selection, query, terms, limit, minScore };
    const found = await this.searchShards(search, await this.statisticsOfShards(search, true));
    if (await this.areCurrent(found)) return outcomeOf(found, limit, minScore);
    const foundAgain = await this.searchShards(search, await this.statisticsOfShards(search, false));
    return outcomeOf(foundAgain, limit, minScore);
  }

  private async searchShards(
    { query, terms, limit, minScore }: TenantSearch,
    statistics: readonly ShardStatistics[],
  ): Promise<ShardResult[]> {
    const { vector, unreadable, identifiers } = query;
    const corpus = sum(statistics.map(({ chunkCount }) => chunkCount));
    if (corpus === 0) return [];
    const frequencies = statistics.map((shard) => shard.frequencies).reduce(added);
    const queryTerms = queryTermsOf(terms, frequencies, identifiers.map(termNumber));
    const hybrid = hybridWeights(unreadable);
    const shards = statistics
      .filter(({ chunkCount }) => chunkCount > 0)
      .map((shard): ShardSearch => {
        // Keys of the inverted index contain the shard; weights and bound are the same everywhere.
        const words = questionWords(shard.scope.appId, queryTerms, corpus, lexicalCandidates(hybrid));
        const weights = words.bound === 0 ? DENSE_ONLY : hybrid;
        const scoredQuery = { vector, cosineFloor: this.embedder.cosineFloor, words, weights };
        return { ...shard, query: scoredQuery, limit };
      });
    const first = await Promise.all(shards.map((shard) => this.searchShard(shard)));
    const isFull = atLeast(best(first, limit), minScore).length >= limit;
    return Promise.all(
      first.map(async (result) =>
        isComplete(result, isFull, minScore) ? result : this.fullScan(result.shard, 'exact-fallback'),
      ),
    );
  }

  /** Whether every search saw the version of the statistics that it used. A search without a result tells no version. */
  private async areCurrent(found: readonly ShardResult[]): Promise<boolean> {
    const areCurrent = found.map(async ({ shard: { scope, isCached, version }, version: seen }) => {
      if (!isCached) return true;
      return version === (seen ?? (await this.chunks.statistics(scope, { keys: [], sample: null })).version);
    });
    return (await Promise.all(areCurrent)).every((isCurrent) => isCurrent);
  }

  /** @param mayBeCached false: reads all statistics from the database */
  private statisticsOfShards(search: TenantSearch, mayBeCached: boolean): Promise<ShardStatistics[]> {
    return Promise.all(shardsOf(search.scope).map((shard) => this.statisticsOf(shard, search, mayBeCached)));
  }

  private async statisticsOf(
    scope: Scope,
    search: TenantSearch,
    mayBeCached: boolean,
  ): Promise<ShardStatistics> {
    const cached = mayBeCached ? this.cachedStatistics(scope, search) : undefined;
    const { statistics, selectivity } = cached ?? (await this.readStatistics(scope, search));
    const selection = effective(search.selection, statistics);
    const compiled = compileSelection(scope, selection);
    const { share, lookupRange } = selectivity;
    const range = lookupRange === null ? undefined : rangesOf(selection.filter ?? EVERYTHING)[lookupRange];
    return {
      ...statistics,
      scope,
      isCached: cached !== undefined,
      isUnfiltered: !isRestricted(scope, selection),
      matching: Math.round(share * statistics.chunkCount),
      selection: range === undefined ? compiled : foundWithin(scope, compiled, range),
    };
  }

  private cachedStatistics(scope: Scope, { selection, terms }: TenantSearch): KnownStatistics | undefined {
    const statistics = this.statistics.find(scope.appId, terms);
    if (statistics === undefined) return undefined;
    const selectivity = isRestricted(scope, effective(selection, statistics))
      ? this.selectivities.get(selectivityKey(scope, selection))
      : EVERYTHING_MATCHES;
    return selectivity && { statistics, selectivity };
  }

  private async readStatistics(scope: Scope, { selection, terms }: TenantSearch): Promise<KnownStatistics> {
    const key = selectivityKey(scope, selection);
    const known = isRestricted(scope, selection) ? this.selectivities.get(key) : EVERYTHING_MATCHES;
    const ranges = rangesOf(selection.filter ?? EVERYTHING).slice(0, SAMPLED_RANGES);
    const sample = { selection: compileSelection(scope, selection), ranges: ranges.map(isInRange) };
    const { shares = [], ...statistics } = await this.chunks.statistics(scope, {
      keys: keysOf(scope.appId, terms),
      sample: known === undefined ? sample : null,
    });
    this.statistics.remember(scope.appId, terms, statistics);
    return { statistics, selectivity: known ?? this.rememberSelectivity(key, shares) };
  }

  /** Runs a second, wider HNSW search when filter and question turn out to be anticorrelated. */
  private async searchShard(shard: ShardSearch): Promise<ShardResult> {
    const estimate = await this.estimateOf(shard);
    const strategy = chooseStrategy(estimate);
    if (strategy.kind === 'full-scan') return this.fullScan(shard, 'exact');
    const result = await this.hnswSearch(shard, strategy);
    if (!isAnticorrelated(estimate, result.matchingNearest, strategy.candidates)) return result;
    const widened = widenedStrategy(estimate);
    return widened.kind === 'full-scan' ? this.fullScan(shard, 'exact') : this.hnswSearch(shard, widened);
  }

  private async hnswSearch(shard: ShardSearch, strategy: HnswStrategy): Promise<ShardResult & HnswResult> {
    const { scope, query, selection, limit, isUnfiltered, matching } = shard;
    const { candidates, maxVisits } = strategy;
    const input = { candidates, maxVisits, selection, limit, isUnfiltered };
    const result = await this.chunks.hnswSearch(scope, query, input);
    return { ...result, shard, plan: { path: 'index', matchingChunks: matching, candidates } };
  }

  private async fullScan(shard: ShardSearch, path: 'exact' | 'exact-fallback'): Promise<ShardResult> {
    const { scope, query, selection, limit } = shard;
    const { usesLookups } = fullScan(await this.estimateOf(shard));
    const input = { selection, limit, usesLookups };
    const { chunks, version, matching } = await this.chunks.fullScan(scope, query, input);
    return { shard, chunks, version, plan: { path, matchingChunks: matching, candidates: matching } };
  }

  private async estimateOf({
    scope,
    limit,
    matching,
    chunkCount: corpus,
  }: ShardSearch): Promise<CardinalityEstimate> {
    return { limit, matching, corpus, indexed: Math.max(await this.indexSizeFor(scope), corpus) };
  }

  /** Number of chunks in the vector index that contains the tenant's. */
  private async indexSizeFor(scope: Scope): Promise<number> {
    const known = this.indexSizes.get(ALL_TENANTS) ?? this.indexSizes.get(scope.appId);
    if (known !== undefined) return known;
    const { chunks, ofAllTenants } = await this.chunks.indexSize(scope);
    this.indexSizes.set(ofAllTenants ? ALL_TENANTS : scope.appId, chunks);
    return chunks;
  }

  /** @param shares of the whole selection, then of each range of its filter */
  private rememberSelectivity(key: string, [share = 0, ...ofRanges]: readonly number[]): Selectivity {
    const narrowest = Math.min(...ofRanges);
    const known = { share, lookupRange: narrowest <= MAX_LOOKUP_SHARE ? ofRanges.indexOf(narrowest) : null };
    this.selectivities.set(key, known);
    return known;
  }
}

/** A stale entry of the selectivity cache costs time, never correctness. */
function selectivityKey(scope: Scope, selection: DocumentSelection): string {
  return JSON.stringify([scope.appId, scope.endUserId, scope.token, selection]);
}

/** A tenant without vector stores has nothing outside of them to find, and its search needs no filter. */
function effective(selection: DocumentSelection, { hasVectorStores }: TermStatistics): DocumentSelection {
  const isUnused = selection.outside === VECTOR_STORES_FOLDER && !hasVectorStores;
  return isUnused ? { ...selection, outside: null } : selection;
}

/** Whether anything besides the tenant restricts the search. */
function isRestricted(
  scope: Scope,
  { filter, folders, outside, endUserId, documentIds }: DocumentSelection,
): boolean {
  return [scope.endUserId, scope.token, filter, folders, outside, endUserId, documentIds].some(
    (part) => part !== null && part !== undefined,
  );
}

/**
 * Whether no other chunk of the shard belongs to the result: after a full scan always; after an HNSW search when it found
 * all its candidates, and either the result is full or no chunk beyond the farthest candidate can reach `minScore`.
 * @param isFull whether all shards together found `limit` results
 */
function isComplete({ shard, farthest, plan }: ShardResult, isFull: boolean, minScore: number): boolean {
  if (plan.path !== 'index') return true;
  if (farthest === null || farthest === undefined) return false;
  return isFull || maxScoreBeyond(farthest, shard.query) < minScore;
}

function atLeast(chunks: readonly ScoredChunk[], minScore: number): readonly ScoredChunk[] {
  return chunks.filter(({ score }) => score >= minScore);
}

/** Merges the shards' results in the order that the statements use. */
function best(results: readonly ShardResult[], limit: number): readonly ScoredChunk[] {
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

function outcomeOf(found: readonly ShardResult[], limit: number, minScore: number): SearchOutcome {
  if (found.length === 0) return { chunks: [], plan: { path: 'empty', matchingChunks: 0, candidates: 0 } };
  return { chunks: atLeast(best(found, limit), minScore), plan: planOf(found.map(({ plan }) => plan)) };
}

/** Combines the shards' plans: the slowest path, and the sums of their counts. */
function planOf(plans: readonly SearchPlan[]): SearchPlan {
  const taken = new Set(plans.map(({ path }) => path));
  return {
    path: (['exact-fallback', 'index'] as const).find((path) => taken.has(path)) ?? 'exact',
    matchingChunks: sum(plans.map(({ matchingChunks }) => matchingChunks)),
    candidates: sum(plans.map(({ candidates }) => candidates)),
  };
}

function added(some: readonly number[], others: readonly number[]): readonly number[] {
  return some.map((count, at) => count + (others[at] ?? 0));
}
