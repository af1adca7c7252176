import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * What the process counts for `GET /metrics`. Labels take their values from sets that are fixed in the code: never a
 * tenant, a path as it was sent, or a name that a caller chose.
 */
export const registry = new Registry();

const registers = [registry];

/** What a model is asked for. */
export type ModelKind = 'llm' | 'embedding' | 'reranking' | 'multivector';

/** How a call to a model ended. */
export type CallOutcome =
  'ok' | 'rate_limited' | 'unavailable' | 'refused' | 'unusable' | 'timeout' | 'aborted' | 'error';

export const httpRequests = new Histogram({
  name: 'lectern_http_request_duration_seconds',
  help: 'Requests from their arrival to the end of the answer. status 499: the client left before it.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
  registers,
});

export const modelCalls = new Histogram({
  name: 'lectern_model_call_duration_seconds',
  help: 'Calls to models, each try by itself. kind: llm, embedding, reranking or multivector.',
  labelNames: ['kind', 'outcome'],
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
  registers,
});

export const modelRetries = new Counter({
  name: 'lectern_model_retries_total',
  help: 'Calls to models that repeat one that failed.',
  labelNames: ['kind'],
  registers,
});

export const modelTokens = new Counter({
  name: 'lectern_model_tokens_total',
  help: 'Tokens that models read and wrote, as providers count them, or as estimated where one does not count.',
  labelNames: ['kind', 'direction'],
  registers,
});

export const storeCalls = new Histogram({
  name: 'lectern_object_store_call_duration_seconds',
  help: 'Calls to the S3 store, its retries included. operation: put, get, size, delete or list.',
  labelNames: ['operation', 'outcome'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
  registers,
});

/** The caches that are counted. */
export type CacheName = 'query_vectors' | 'api_keys' | 'schemas';

const cacheLookups = new Counter({
  name: 'lectern_cache_lookups_total',
  help: 'Look-ups in caches of this process. result: hit or miss.',
  labelNames: ['cache', 'result'],
  registers,
});

export const ingestions = new Counter({
  name: 'lectern_ingestions_total',
  help: 'Jobs of ingestion that this process ended. outcome: completed, retried or failed.',
  labelNames: ['outcome'],
  registers,
});

export const poolConnections = new Gauge({
  name: 'lectern_database_pool_connections',
  help: 'Connections of this process to the database. state: total or idle.',
  labelNames: ['state'],
  registers,
});

export const poolWaiting = new Gauge({
  name: 'lectern_database_pool_waiting',
  help: 'Callers of this process that wait for a connection.',
  registers,
});

export const jobs = new Gauge({
  name: 'lectern_ingestion_jobs',
  help: 'Jobs of ingestion of the whole installation. state: queued, running or dead.',
  labelNames: ['state'],
  registers,
});

export const oldestJob = new Gauge({
  name: 'lectern_ingestion_oldest_due_seconds',
  help: 'For how long the oldest job has been due that nobody has taken; 0: there is none.',
  registers,
});

export const documents = new Gauge({
  name: 'lectern_documents',
  help: 'Documents of the whole installation; the completed ones of a large one are estimated.',
  labelNames: ['state'],
  registers,
});

let isCollecting = false;

/** Begins to measure the process itself (memory, processor, event loop), once. */
export function measureProcess(): void {
  if (isCollecting) return;
  isCollecting = true;
  collectDefaultMetrics({ register: registry });
}

/** Counts a look-up in a cache. */
export function countLookup(cache: CacheName, isHit: boolean): void {
  cacheLookups.inc({ cache, result: isHit ? 'hit' : 'miss' });
}
