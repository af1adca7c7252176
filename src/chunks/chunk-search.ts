import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Scope } from '../auth/scope.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Embedder } from '../embedding/embedder.js';
import { compileSelection, foundWithin, type DocumentSelection } from '../filters/document-predicate.js';
import { EVERYTHING } from '../filters/filter.js';
import { isInRange, rangesOf } from '../filters/sql/ordered-range.js';
import { termNumber } from '../lexical/impacts.js';
import type { ScoredChunk } from './chunk.js';
import { ChunkRepository, type WalkResult } from './chunk.repository.js';
import { isFar, measuring, wayOf, wayToFar, wordCandidates, type Outlook } from './plan.js';
import { askedTerms, keysOf, questionWords } from './question-words.js';
import type { WalkInput } from './search-statements.js';
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

  async search(
    scope: Scope,
    selection: DocumentSelection,
    { vector, terms, unreadable, identifiers }: SearchQuery,
    limit: number,
    minScore: number,
  ): Promise<SearchOutcome> {
    const ranges = rangesOf(selection.filter ?? EVERYTHING).slice(0, SAMPLED_RANGES);
    const compiled = compileSelection(scope, selection);
    const numbers = this.isHybrid ? [...new Set(terms.map(termNumber))] : [];
    const key = JSON.stringify([scope.appId, selection]);
    const takesAll = !isRestricted(selection);
    const known = takesAll ? EVERYTHING_MATCHES : this.shares.get(key);
    const statistics = await this.chunks.statistics(scope, {
      keys: keysOf(scope.appId, numbers),
      sample: known === undefined ? { selection: compiled, parts: ranges.map(isInRange) } : null,
    });
    const { chunkCount: corpus, holding, shares = [] } = statistics;
    if (corpus === 0) return { chunks: [], plan: { path: 'empty', matchingChunks: 0, candidates: 0 } };
    const asked = askedTerms(numbers, holding, identifiers.map(termNumber));
    const hybrid = hybridWeights(unreadable);
    const words = questionWords(scope.appId, asked, corpus, wordCandidates(hybrid));
    const weights = words.bound === 0 ? DENSE_ONLY : hybrid;
    const query = { vector, cosineFloor: this.embedder.cosineFloor, words, weights };
    const { share, foundBy } = known ?? this.rememberShare(key, shares);
    const range = foundBy === null ? undefined : ranges[foundBy];
    const selected = range === undefined ? compiled : foundWithin(scope, compiled, range);
    const matching = Math.round(share * corpus);
    const outlook = { limit, matching, corpus, allChunks: Math.max(await this.indexedFor(scope), corpus) };
    const walked = await this.walk(scope, query, outlook, { selection: selected, limit, takesAll });
    if (walked !== null) {
      const { chunks, farthest, candidates } = walked;
      if (farthest !== null && foundAll(chunks, farthest, query, { limit, minScore })) {
        const plan = { path: 'index', matchingChunks: matching, candidates } as const;
        return { chunks: atLeast(chunks, minScore), plan };
      }
    }
    const { looksUp } = measuring(outlook);
    const measured = await this.chunks.measure(scope, query, { selection: selected, limit, looksUp });
    const path = walked === null ? 'exact' : 'exact-after-all';
    return {
      chunks: atLeast(measured.chunks, minScore),
      plan: { path, matchingChunks: measured.matching, candidates: measured.matching },
    };
  }

  /**
   * What is found along the index, by a second and wider walk where what matches turns out to be far from the question.
   * @returns null where measuring is quicker.
   */
  private async walk(
    scope: Scope,
    query: ScoredQuery,
    outlook: Outlook,
    input: Pick<WalkInput, 'selection' | 'limit' | 'takesAll'>,
  ): Promise<(WalkResult & { readonly candidates: number }) | null> {
    const way = wayOf(outlook);
    if (way.measures) return null;
    const { candidates } = way;
    const walked = await this.chunks.walk(scope, query, { ...input, ...way });
    if (!isFar(outlook, walked.around, candidates)) return { ...walked, candidates };
    const wider = wayToFar(outlook);
    if (wider.measures) return null;
    const again = await this.chunks.walk(scope, query, { ...input, ...wider });
    return { ...again, candidates: wider.candidates };
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

/** Whether there are as many as asked for, or no other chunk can have the score that is asked for. */
function foundAll(
  chunks: readonly ScoredChunk[],
  farthest: number,
  query: ScoredQuery,
  { limit, minScore }: { readonly limit: number; readonly minScore: number },
): boolean {
  return atLeast(chunks, minScore).length >= limit || mostBeyond(farthest, query) < minScore;
}

function atLeast(chunks: readonly ScoredChunk[], minScore: number): readonly ScoredChunk[] {
  return chunks.filter(({ score }) => score >= minScore);
}
