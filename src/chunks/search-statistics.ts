import { LRUCache } from 'lru-cache';
import { principalsOf } from '../access/principal.js';
import type { Scope } from '../auth/scope.js';
import {
  type CompiledSelection,
  compileSelection,
  type DocumentSelection,
  foundWithin,
  statisticsBound,
} from '../filters/document-predicate.js';
import { EVERYTHING } from '../filters/filter.js';
import { isInRange, rangesOf } from '../filters/sql/ordered-range.js';
import { keysOf, LEVELS } from '../lexical/inverted-index.js';
import type { ChunkRepository, TermStatistics } from './chunk.repository.js';

/** Statistics of one tenant shard for a selection and the terms of a question. */
export interface ShardStatistics extends TermStatistics {
  readonly scope: Scope;
  /** Whether the statistics come from the cache. The search then has to check that their version is still current. */
  readonly isCached: boolean;
  readonly selection: CompiledSelection;
  /** Whether the selection includes every document of the shard. */
  readonly isUnfiltered: boolean;
  /** Chunks that pass the filter, estimated from a sample. */
  readonly matching: number;
  /** Chunks in the vector index, which tenants may share. A shard without chunks has 0, and is not searched. */
  readonly indexed: number;
}

/** The documents to search, and the numbers of the terms of the question. */
interface Searched {
  readonly selection: DocumentSelection;
  readonly terms: readonly number[];
}

/** Cached statistics of the chunks of a shard. */
interface Corpus extends Omit<TermStatistics, 'postings' | 'frequencies'> {
  /** When this process first saw the version, by its monotonic clock. */
  readonly since: number;
}

/** Cached postings and document frequencies of a term, and the version of the statistics that they belong to. */
type Frequencies = Pick<TermStatistics, 'version' | 'postings' | 'frequencies'>;

/** Selectivity of a filter, and the most selective of its range conditions. */
interface Selectivity {
  /** Share of the tenant's chunks that pass the filter, 0 to 1, estimated from a sample of its documents. */
  readonly share: number;
  /**
   * Position of the range in `rangesOf(filter)` by which documents are looked up; null: no range is selective enough.
   */
  readonly lookupRange: number | null;
}

const EVERYTHING_MATCHES: Selectivity = { share: 1, lookupRange: null };

/** Maximum number of cached shards, and the time (ms) after which the statistics of a shard are read again. */
const CORPUS_CACHE = { max: 1_000, ttl: 60_000 };

/**
 * Time (ms) for which word statistics within the bound of a token are cached. A document that moves out of the bound
 * changes them, but not their version.
 */
const BOUNDED_TTL = 10_000;

/** Maximum number of cached terms of all shards together, about 40 MB. */
const FREQUENCY_CACHE = { max: 100_000 };

/** Size and lifetime (ms) of the selectivity cache. A stale entry makes a search slower, but never wrong. */
const SELECTIVITY_CACHE = { max: 1_000, ttl: 10_000 };

/**
 * Size and lifetime (ms) of the cache of index sizes. The cache has a single entry if all tenants share one index,
 * which is usual.
 */
const INDEX_SIZE_CACHE = { max: 1_000, ttl: 30_000 };
const ALL_TENANTS = '';

/**
 * Milliseconds for which statistics must be unchanged before they are used from the cache. A corpus that changed more
 * recently will probably change again.
 */
const SETTLED_MS = 1_000;

/** Maximum number of ranges of a filter whose selectivity is estimated. */
const SAMPLED_RANGES = 8;

/**
 * If a range selects more than this share of the chunks, reading every document is faster than looking documents up by
 * the range.
 */
const MAX_LOOKUP_SHARE = 0.25;

/**
 * The statistics that a search needs before it starts. Caches the statistics of recent searches, so that most searches
 * need not read any. The search statement returns the current version of the statistics. If it differs from the cached
 * version, the caller repeats the search.
 */
export class SearchStatistics {
  private readonly corpora = new LRUCache<string, Corpus>(CORPUS_CACHE);
  private readonly frequencies = new LRUCache<string, Frequencies>(FREQUENCY_CACHE);
  private readonly selectivities = new LRUCache<string, Selectivity>(SELECTIVITY_CACHE);
  private readonly indexSizes = new LRUCache<string, number>(INDEX_SIZE_CACHE);

  constructor(private readonly chunks: ChunkRepository) {}

  /**
   * @param scope one shard
   * @param mayBeCached false: reads the statistics from the database
   */
  async of(scope: Scope, searched: Searched, mayBeCached: boolean): Promise<ShardStatistics> {
    const { selection, terms } = searched;
    const key = JSON.stringify([scope.appId, principalsOf(scope), scope.token, selection]);
    const cached = mayBeCached ? this.cached(corpusOf(scope), terms) : undefined;
    const known = isRestricted(scope, effective(selection, cached))
      ? this.selectivities.get(key)
      : EVERYTHING_MATCHES;
    const isCached = cached !== undefined && known !== undefined;
    const [statistics, selectivity] = isCached ? [cached, known] : await this.read(scope, searched, known);
    if (known === undefined) this.selectivities.set(key, selectivity);
    const { chunkCount } = statistics;
    const { share, lookupRange } = selectivity;
    const inEffect = effective(selection, statistics);
    const compiled = compileSelection(scope, inEffect);
    const range = lookupRange === null ? undefined : rangesOf(selection.filter ?? EVERYTHING)[lookupRange];
    return {
      ...statistics,
      scope,
      isCached,
      selection: range === undefined ? compiled : foundWithin(scope, compiled, range),
      isUnfiltered: !isRestricted(scope, inEffect),
      matching: Math.round(share * chunkCount),
      indexed: chunkCount === 0 ? 0 : Math.max(await this.indexSize(scope), chunkCount),
    };
  }

  /** @returns undefined if a term is not cached, or the corpus changed recently */
  private cached(counted: string, terms: readonly number[]): TermStatistics | undefined {
    const corpus = this.corpora.get(counted);
    if (corpus === undefined || performance.now() - corpus.since < SETTLED_MS) return undefined;
    const postings: number[] = [];
    const frequencies: number[] = [];
    for (const term of terms) {
      const known = this.frequencies.get(termKey(counted, term));
      if (known?.version !== corpus.version) return undefined;
      postings.push(...known.postings);
      frequencies.push(...known.frequencies);
    }
    return { ...corpus, postings, frequencies };
  }

  /** Reads and caches statistics. Estimates the selectivity from a sample unless it is `known`. */
  private async read(
    scope: Scope,
    { selection, terms }: Searched,
    known: Selectivity | undefined,
  ): Promise<[TermStatistics, Selectivity]> {
    const { appId } = scope;
    const counted = corpusOf(scope);
    const bound = statisticsBound(scope);
    const ttl = bound === null ? {} : { ttl: BOUNDED_TTL };
    const ranges = rangesOf(selection.filter ?? EVERYTHING).slice(0, SAMPLED_RANGES);
    const sample = { selection: compileSelection(scope, selection), ranges: ranges.map(isInRange) };
    const { shares, ...statistics } = await this.chunks.statistics(
      scope,
      keysOf(appId, terms),
      known === undefined ? sample : null,
      bound,
    );
    const { version, postings, frequencies, ...corpus } = statistics;
    if (version !== null) {
      const since = performance.now();
      if (this.corpora.get(counted)?.version !== version)
        this.corpora.set(counted, { ...corpus, version, since }, ttl);
      for (const [at, term] of terms.entries()) {
        const ofTerm = (counts: readonly number[]): number[] => counts.slice(at * LEVELS, (at + 1) * LEVELS);
        const frequency = { version, postings: ofTerm(postings), frequencies: ofTerm(frequencies) };
        this.frequencies.set(termKey(counted, term), frequency, ttl);
      }
    }
    return [statistics, known ?? selectivityOf(shares)];
  }

  /** Number of chunks in the vector index that contains the tenant's chunks. */
  private async indexSize(scope: Scope): Promise<number> {
    const known = this.indexSizes.get(ALL_TENANTS) ?? this.indexSizes.get(scope.appId);
    if (known !== undefined) return known;
    const { chunks, ofAllTenants } = await this.chunks.indexSize(scope);
    this.indexSizes.set(ofAllTenants ? ALL_TENANTS : scope.appId, chunks);
    return chunks;
  }
}

/** Names the documents from which the word statistics of a caller come. */
function corpusOf(scope: Scope): string {
  return statisticsBound(scope) === null ? scope.appId : JSON.stringify([scope.appId, scope.token]);
}

function termKey(counted: string, term: number): string {
  return `${counted} ${term}`;
}

/** @param shares shares of the chunks that the whole selection and then each range of its filter select */
function selectivityOf([share = 0, ...ofRanges]: readonly number[]): Selectivity {
  const narrowest = Math.min(...ofRanges);
  return { share, lookupRange: narrowest <= MAX_LOOKUP_SHARE ? ofRanges.indexOf(narrowest) : null };
}

/**
 * Drops the exclusion of vector stores for a tenant without vector stores: the condition excludes nothing, and a search
 * without a filter is faster.
 */
function effective(selection: DocumentSelection, statistics: TermStatistics | undefined): DocumentSelection {
  return statistics?.hasVectorStores === false ? { ...selection, withoutStores: false } : selection;
}

/** Whether anything besides the tenant restricts the search. */
function isRestricted(
  scope: Scope,
  { filter, folders, withoutStores, endUserId, documentIds }: DocumentSelection,
): boolean {
  return (
    withoutStores === true ||
    [principalsOf(scope), scope.token, filter, folders, endUserId, documentIds].some(
      (part) => part !== null && part !== undefined,
    )
  );
}
