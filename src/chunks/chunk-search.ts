import { Inject, Injectable } from '@nestjs/common';
import { type Scope, shardsOf } from '../auth/scope.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Embedder } from '../models/embedding/embedder.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { analyseQuery } from '../lexical/analyse.js';
import { termNumber } from '../lexical/inverted-index.js';
import { timed } from '../request/request-context.js';
import { EmbeddingSpace } from './vectors/vector-space.js';
import type { ScoredChunk } from './chunk.js';
import { ChunkRepository, type HnswResult, type SearchResult } from './chunk.repository.js';
import {
  chooseStrategy,
  fullScan,
  isAnticorrelated,
  lexicalCandidates,
  widenedStrategy,
  type HnswStrategy,
} from './search-strategy.js';
import { queryTermsOf, questionWords, sum } from './bm25.js';
import { SearchStatistics, type ShardStatistics } from './search-statistics.js';
import { DENSE_ONLY, hybridWeights, maxScoreBeyond, type ScoredQuery } from './hybrid-score.js';

export interface TextSearch {
  readonly selection: DocumentSelection;
  readonly question: string;
  /** Additional terms for the lexical search; never embedded. */
  readonly expansion: readonly string[];
  readonly limit: number;
  readonly minScore: number;
}

interface AnalysedSearch extends TextSearch {
  /** Unit vector in the service's embedding space. */
  readonly vector: Float32Array;
  /** Numbers of the distinct terms; empty for a search by vector alone. */
  readonly terms: readonly number[];
  /** Share of the question that the embedding model cannot read (out of its vocabulary), 0 to 1. */
  readonly unreadable: number;
  /** Numbers of the terms of identifiers that the embedding model cannot read. */
  readonly identifiers: readonly number[];
}

/** How a search ran and what it counted, for `X-Explain` and logs. */
export interface SearchPlan {
  /**
   * `exact`: a full scan scored every matching chunk. `index`: an HNSW search and the inverted index gave the
   * candidates. `exact-fallback`: a full scan ran because the HNSW search may have missed a result. `empty`: the tenant
   * has no chunks.
   */
  readonly path: 'exact' | 'index' | 'exact-fallback' | 'empty';
  /** Number of chunks that pass the filter: exact after a full scan, otherwise estimated from a sample. */
  readonly matchingChunks: number;
  /**
   * Number of chunks that were scored: after a full scan, all matching chunks; otherwise the chunks that the HNSW
   * search had to find.
   */
  readonly candidates: number;
}

export interface SearchOutcome {
  readonly chunks: readonly ScoredChunk[];
  readonly plan: SearchPlan;
}

interface ShardSearch extends ShardStatistics {
  readonly query: ScoredQuery;
  readonly limit: number;
}

interface ShardResult extends SearchResult {
  readonly shard: ShardSearch;
  /** Set by an HNSW search: see {@link HnswResult}. */
  readonly farthest?: HnswResult['farthest'];
  readonly plan: SearchPlan;
}

/**
 * Finds the best matching chunks: `limit` chunks, or all matching chunks that score at least `minScore` if these are
 * fewer. The result is complete at every selectivity, because a full scan follows if the HNSW search may have missed a
 * chunk.
 */
@Injectable()
export class ChunkSearch {
  private readonly isHybrid: boolean;
  private readonly statistics: SearchStatistics;

  constructor(
    private readonly chunks: ChunkRepository,
    private readonly embedder: Embedder,
    private readonly space: EmbeddingSpace,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.isHybrid = settings.RETRIEVAL === 'hybrid';
    this.statistics = new SearchStatistics(chunks);
  }

  /**
   * Embeds a question and searches for passages. Repeats the search when the chunks have changed since their statistics
   * were cached.
   * @throws ProviderFailed when the embedding model fails; Unavailable if the stored vectors belong to another model.
   */
  async searchText(scope: Scope, search: TextSearch): Promise<SearchOutcome> {
    const { question, expansion, limit, minScore } = search;
    await this.space.requireOwn();
    const vector = await timed('embed', () => this.embedder.embedQuery(question));
    const { share: unreadable, identifiers: unread } = await this.embedder.unreadable(question);
    const terms = this.isHybrid ? termNumbers([question, ...expansion]) : [];
    const analysed = { ...search, vector, terms, unreadable, identifiers: termNumbers([unread.join(' ')]) };
    return timed('db', async () => {
      let found = await this.searchShards(scope, analysed, true);
      if (!(await this.areCurrent(found))) found = await this.searchShards(scope, analysed, false);
      return outcomeOf(found, limit, minScore);
    });
  }

  /**
   * Searches all shards of a tenant concurrently with the same weights.
   * @param mayBeCached false: reads the statistics of the shards from the database
   */
  private async searchShards(
    scope: Scope,
    search: AnalysedSearch,
    mayBeCached: boolean,
  ): Promise<ShardResult[]> {
    const { vector, terms, unreadable, identifiers, limit, minScore } = search;
    const { cosineFloor } = this.embedder;
    const statistics = await Promise.all(
      shardsOf(scope).map((shard) => this.statistics.of(shard, search, mayBeCached)),
    );
    // Scores depend on the chunks that everyone in the tenant may read, and so do not tell what others contain.
    const corpus = sum(statistics.map(({ sharedCount }) => sharedCount));
    const postings = sumByPosition(statistics.map((shard) => shard.postings));
    const frequencies = sumByPosition(statistics.map((shard) => shard.frequencies));
    const queryTerms = queryTermsOf(terms, { postings, frequencies }, identifiers);
    const hybrid = hybridWeights(unreadable);
    const shards = statistics
      .filter(({ chunkCount }) => chunkCount > 0)
      .map((shard): ShardSearch => {
        // Index keys contain the shard, so each shard has its own keys. Weights and bound are the same for all shards.
        const words = questionWords(shard.scope.appId, queryTerms, corpus, lexicalCandidates(hybrid));
        const weights = words.bound === 0 ? DENSE_ONLY : hybrid;
        return { ...shard, query: { vector, cosineFloor, words, weights }, limit };
      });
    const first = await Promise.all(shards.map((shard) => this.searchShard(shard)));
    const isFull = atLeast(best(first, limit), minScore).length >= limit;
    return Promise.all(
      first.map(async (result) =>
        isComplete(result, isFull, minScore) ? result : this.fullScan(result.shard, 'exact-fallback'),
      ),
    );
  }

  /**
   * Whether the cached statistics were current when the searches ran. Only the rows of a result contain the version.
   * After an empty result, the version is read from the database.
   */
  private async areCurrent(found: readonly ShardResult[]): Promise<boolean> {
    const areCurrent = found.map(async ({ shard: { scope, isCached, version }, version: seen }) => {
      if (!isCached) return true;
      return version === (seen ?? (await this.chunks.statistics(scope, [], null)).version);
    });
    return (await Promise.all(areCurrent)).every((isCurrent) => isCurrent);
  }

  /**
   * Searches one shard. If the first HNSW search shows that filter and question are anticorrelated, it searches again,
   * with more candidates or by a full scan.
   */
  private async searchShard(shard: ShardSearch): Promise<ShardResult> {
    const strategy = chooseStrategy(shard);
    if (strategy.kind === 'full-scan') return this.fullScan(shard, 'exact');
    const result = await this.hnswSearch(shard, strategy);
    const isStopped = !strategy.countsNearest && !shard.isUnfiltered && result.farthest === null;
    if (!isStopped && !isAnticorrelated(shard, result.matchingNearest, strategy.candidates)) return result;
    const widened = widenedStrategy(shard);
    return widened.kind === 'full-scan' ? this.fullScan(shard, 'exact') : this.hnswSearch(shard, widened);
  }

  private async hnswSearch(shard: ShardSearch, strategy: HnswStrategy): Promise<ShardResult & HnswResult> {
    const result = await this.chunks.hnswSearch(shard.scope, { ...shard, ...strategy });
    const { candidates } = strategy;
    return { ...result, shard, plan: { path: 'index', matchingChunks: shard.matching, candidates } };
  }

  private async fullScan(shard: ShardSearch, path: 'exact' | 'exact-fallback'): Promise<ShardResult> {
    const scan = { ...shard, ...fullScan(shard) };
    const { matching, ...result } = await this.chunks.fullScan(shard.scope, scan);
    return { ...result, shard, plan: { path, matchingChunks: matching, candidates: matching } };
  }
}

function sumByPosition(lists: readonly (readonly number[])[]): readonly number[] {
  return lists.reduce((some, others) => some.map((count, at) => count + (others[at] ?? 0)));
}

/** Numbers of the distinct terms of texts. */
function termNumbers(texts: readonly string[]): number[] {
  return [...new Set(texts.flatMap((text) => analyseQuery(text)).map(termNumber))];
}

/**
 * Whether the result of a shard is complete. The result of a full scan is always complete. The result of an HNSW search
 * is complete if the search found all its candidates, and if the result is full or no farther chunk can reach
 * `minScore`.
 * @param isFull whether all shards together found `limit` results
 */
function isComplete({ shard, farthest }: ShardResult, isFull: boolean, minScore: number): boolean {
  if (farthest === undefined) return true;
  return farthest !== null && (isFull || maxScoreBeyond(farthest, shard.query) < minScore);
}

function atLeast(chunks: readonly ScoredChunk[], minScore: number): readonly ScoredChunk[] {
  return chunks.filter(({ score }) => score >= minScore);
}

/** Merges the results of the shards into the order that the search statements use. */
function best(results: readonly ShardResult[], limit: number): readonly ScoredChunk[] {
  const chunks = results.flatMap((result) => result.chunks);
  return results.length > 1 ? chunks.sort(byRank).slice(0, limit) : chunks;
}

function byRank(one: ScoredChunk, other: ScoredChunk): number {
  if (one.score !== other.score) return other.score - one.score;
  if (one.document_id !== other.document_id) return one.document_id < other.document_id ? -1 : 1;
  return one.chunk_number - other.chunk_number;
}

/** The plan has the slowest path that a shard took, and the sums of the counts. */
function outcomeOf(found: readonly ShardResult[], limit: number, minScore: number): SearchOutcome {
  const plans = found.map(({ plan }) => plan);
  const taken = plans.map(({ path }) => path);
  const plan: SearchPlan = {
    path: (['exact-fallback', 'index', 'exact'] as const).find((path) => taken.includes(path)) ?? 'empty',
    matchingChunks: sum(plans.map(({ matchingChunks }) => matchingChunks)),
    candidates: sum(plans.map(({ candidates }) => candidates)),
  };
  return { chunks: atLeast(best(found, limit), minScore), plan };
}
