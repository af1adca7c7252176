import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Metrics of the process for `GET /metrics`. The values of labels come from fixed sets in the code, except tenants, which
 * `tenants.ts` bounds. A label never contains the path of a request, or a name that a caller has chosen.
 */
export const registry = new Registry();

const registers = [registry];

export type ModelKind = 'llm' | 'embedding' | 'reranking' | 'multivector';

export type CallOutcome =
  'ok' | 'rate_limited' | 'unavailable' | 'refused' | 'unusable' | 'timeout' | 'aborted' | 'error';

export const httpRequests = new Histogram({
  name: 'lectern_http_request_duration_seconds',
  help: 'Duration of requests from arrival to the end of the response, without streams. status 499: the client left early.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
  registers,
});

export const httpStreams = new Histogram({
  name: 'lectern_http_stream_duration_seconds',
  help: 'Duration of requests that were answered with a stream of events, from arrival to the end of the stream.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200],
  registers,
});

export const openStreams = new Gauge({
  name: 'lectern_http_streams_open',
  help: 'Streams of events that this process is sending.',
  labelNames: ['route'],
  registers,
});

export const modelCalls = new Histogram({
  name: 'lectern_model_call_duration_seconds',
  help: 'Calls to models; each attempt counts separately. kind: llm, embedding, reranking or multivector.',
  labelNames: ['kind', 'outcome'],
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
  registers,
});

export const modelRetries = new Counter({
  name: 'lectern_model_retries_total',
  help: 'Retries of calls to models.',
  labelNames: ['kind'],
  registers,
});

export const modelTokens = new Counter({
  name: 'lectern_model_tokens_total',
  help: 'Tokens read and written by models, as counted by the provider, or estimated.',
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

/** Caches whose lookups are counted. */
export type CacheName = 'query_vectors' | 'api_keys' | 'schemas';

const cacheLookups = new Counter({
  name: 'lectern_cache_lookups_total',
  help: 'Lookups in caches of this process. result: hit or miss.',
  labelNames: ['cache', 'result'],
  registers,
});

export const ingestions = new Counter({
  name: 'lectern_ingestions_total',
  help: 'Ingestion jobs ended by this process. outcome: completed, retried or failed.',
  labelNames: ['outcome'],
  registers,
});

export const webhookAttempts = new Counter({
  name: 'lectern_webhook_attempts_total',
  help: 'Attempts of this process to send to webhooks. outcome: delivered, retried, failed or dropped.',
  labelNames: ['outcome'],
  registers,
});

export const poolConnections = new Gauge({
  name: 'lectern_database_pool_connections',
  help: 'Database connections of this process. state: total or idle.',
  labelNames: ['state'],
  registers,
});

export const poolWaiting = new Gauge({
  name: 'lectern_database_pool_waiting',
  help: 'Callers of this process waiting for a database connection.',
  registers,
});

export const jobs = new Gauge({
  name: 'lectern_ingestion_jobs',
  help: 'Ingestion jobs of the whole installation. state: queued, running or dead.',
  labelNames: ['state'],
  registers,
});

export const oldestJob = new Gauge({
  name: 'lectern_ingestion_oldest_due_seconds',
  help: 'Time since the oldest unclaimed job became due; 0 without one.',
  registers,
});

export const databaseBytes = new Gauge({
  name: 'lectern_database_bytes',
  help: 'Size of the database; of a cluster, the size of the coordinator.',
  registers,
});

export const storeBytes = new Gauge({
  name: 'lectern_store_bytes',
  help: 'Size of all uploaded files in the store, without page images.',
  registers,
});

export const diskBytes = new Gauge({
  name: 'lectern_disk_bytes',
  help: 'The disk of DATA_DIR, if it holds files or the embedded database. state: total or free.',
  labelNames: ['state'],
  registers,
});

export const health = new Gauge({
  name: 'lectern_health',
  help: 'Health of a component as this process sees it: 1 for its status (healthy, degraded or unhealthy), else 0.',
  labelNames: ['component', 'status'],
  registers,
});

export const buildInfo = new Gauge({
  name: 'lectern_build_info',
  help: 'Always 1; the labels have the version, the commit, and the last migration of this process.',
  labelNames: ['version', 'commit', 'schema'],
  registers,
});

export const documents = new Gauge({
  name: 'lectern_documents',
  help: 'Documents of the whole installation. Completed ones are estimated in large installations.',
  labelNames: ['state'],
  registers,
});

let isCollecting = false;

/** Starts metrics of the process itself (memory, CPU, event loop). Idempotent. */
export function measureProcess(): void {
  if (isCollecting) return;
  isCollecting = true;
  collectDefaultMetrics({ register: registry });
}

export function countLookup(cache: CacheName, isHit: boolean): void {
  cacheLookups.inc({ cache, result: isHit ? 'hit' : 'miss' });
}
