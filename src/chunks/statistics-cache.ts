import { LRUCache } from 'lru-cache';
import { LEVELS } from './bm25.js';

/** Statistics of a tenant shard for the terms of a question. */
export interface TermStatistics {
  /** Changes with every change of these statistics. null: the shard never had a chunk. */
  readonly version: string | null;
  /** Chunks of the shard. */
  readonly chunkCount: number;
  /** Whether the folder of vector stores exists, which a search without folders leaves out. */
  readonly hasVectorStores: boolean;
  /** Document frequency for each key of the inverted index, level by level for each term. */
  readonly frequencies: readonly number[];
}

interface Corpus extends Omit<TermStatistics, 'frequencies'> {
  readonly version: string;
  /** When this process first saw the version, by its monotonic clock. */
  readonly since: number;
}

/** Number of shards, and the time (ms) after which the statistics of one are read again. */
const CORPORA = { max: 1_000, ttl: 60_000 };

/** Number of terms of all shards together: some 20 MB. */
const TERMS = { max: 100_000 };

/** A corpus that changed this recently (ms) is probably about to change again. */
const SETTLED_MS = 1_000;

/**
 * Caches statistics of recent searches, so that most searches need not read them. The caller compares their version with
 * the version that its search statement saw, and repeats the search if they differ.
 */
export class StatisticsCache {
  private readonly corpora = new LRUCache<string, Corpus>(CORPORA);
  private readonly frequencies = new LRUCache<string, readonly number[]>(TERMS);

  /** @returns undefined unless the statistics of all terms are known and the corpus has settled */
  find(appId: string, terms: readonly number[]): TermStatistics | undefined {
    const corpus = this.corpora.get(appId);
    if (corpus === undefined || performance.now() - corpus.since < SETTLED_MS) return undefined;
    const frequencies: number[] = [];
    for (const term of terms) {
      const known = this.frequencies.get(keyOf(appId, corpus.version, term));
      if (known === undefined) return undefined;
      frequencies.push(...known);
    }
    return { ...corpus, frequencies };
  }

  remember(
    appId: string,
    terms: readonly number[],
    { version, frequencies, ...corpus }: TermStatistics,
  ): void {
    if (version === null) return;
    const known = this.corpora.get(appId);
    if (known?.version !== version) this.corpora.set(appId, { ...corpus, version, since: performance.now() });
    for (const [at, term] of terms.entries()) {
      this.frequencies.set(keyOf(appId, version, term), frequencies.slice(at * LEVELS, (at + 1) * LEVELS));
    }
  }
}

function keyOf(appId: string, version: string, term: number): string {
  return `${appId} ${version} ${term}`;
}
