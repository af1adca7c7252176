import { LRUCache } from 'lru-cache';
import { currentSignal, runDetached } from '../../request/request-context.js';
import { countLookup } from '../../telemetry/metrics.js';
import { Embedder } from './embedder.js';
import type { Unreadable } from './readability.js';

const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Caches the vectors of recent queries. Concurrent requests for the same text share one call, which continues when one
 * of the requests is aborted. Failures are not cached.
 */
export class QueryVectorCache extends Embedder {
  private readonly vectors: LRUCache<string, Float32Array>;

  constructor(private readonly embedder: Embedder) {
    super();
    this.vectors = new LRUCache<string, Float32Array>({
      maxSize: MAX_BYTES,
      sizeCalculation: (vector, text) => vector.byteLength + 2 * text.length,
      fetchMethod: (text) => runDetached(() => embedder.embedQuery(text)),
      ignoreFetchAbort: true, // an entry evicted during its call still answers pending requests
    });
  }

  get model(): string {
    return this.embedder.model;
  }

  get dimensions(): number {
    return this.embedder.dimensions;
  }

  get cosineFloor(): number {
    return this.embedder.cosineFloor;
  }

  unreadable(question: string): Promise<Unreadable> {
    return this.embedder.unreadable(question);
  }

  embedDocuments(texts: readonly string[]): Promise<Float32Array[]> {
    return this.embedder.embedDocuments(texts);
  }

  embedQuery(text: string): Promise<Float32Array> {
    countLookup('query_vectors', this.vectors.has(text));
    return unlessAborted(this.vectors.forceFetch(text), currentSignal());
  }
}

/** Returns the result of `work`, or rejects with the abort reason of `signal` without stopping `work`. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', leave);
    });
  });
}
