import {
  choice,
  decimal,
  flag,
  integer,
  list,
  networks,
  quotas,
  secret,
  text,
  url,
  type Setting,
} from './definition.js';
import { FLOWS, STOCKS } from './quotas.js';
import { signInDefinition } from './sign-in-settings.js';

/** Every environment variable of the service. `.env.example` is generated from it, in this order. */
export const definition = {
  HOST: text('Listening address. In the container image HOST is 0.0.0.0.', '127.0.0.1'),
  PORT: integer('Listening port; 0 selects a free one.', 8000, { max: 65_535 }),
  SHUTDOWN_DELAY_MS: integer(
    'How long the process keeps serving after SIGTERM, with /health/ready at 503 for load balancers.',
    0,
    { max: 300_000 },
  ),
  DATA_DIR: text('Embedded database, stored files, generated secrets.', './data'),
  DATABASE_URL: url(
    'PostgreSQL with pgvector >= 0.8. Unset: embedded PostgreSQL in DATA_DIR.',
    ['postgres', 'postgresql'],
    true,
  ),
  DATABASE_POOL_SIZE: integer('Connections to DATABASE_URL; the embedded database always has one.', 10, {
    min: 2,
    max: 1_000,
  }),
  DATABASE_STATEMENT_TIMEOUT_MS: integer(
    'Deadline of one statement. Beyond it the response is a 504, or a 503 if the database does not respond.',
    15_000,
    { min: 100, max: 3_600_000 },
  ),
  DATABASE_CONNECT_TIMEOUT_MS: integer(
    'Maximum wait for a connection, then 503. With the embedded database the statement deadline is added.',
    5_000,
    { min: 100, max: 600_000 },
  ),
  DATABASE_START_TIMEOUT_MS: integer('How long the start retries an unreachable DATABASE_URL.', 60_000, {
    max: 3_600_000,
  }),
  AUTH_MODE: choice(
    'key: Bearer keys. none: no authentication, one tenant; needs a loopback HOST or ALLOW_INSECURE=true.',
    ['key', 'none'],
    'key',
  ),
  ALLOW_INSECURE: flag('Allows AUTH_MODE=none on an address that other machines can reach.', false),
  ALLOWED_HOSTS: list(
    'Host names and addresses besides loopback names under which AUTH_MODE=none answers, and whose pages may call it, comma-separated.',
  ),
  JWT_SECRET: secret(
    'Signs API keys and URLs; at least 32 bytes. Required with DATABASE_URL and AUTH_MODE=key; otherwise generated in DATA_DIR.',
  ),
  JWT_SECRET_PREVIOUS: secret(
    'The former JWT_SECRET. Keys and URLs that it signed stay valid; new ones are signed with JWT_SECRET.',
  ),
  ADMIN_KEY: secret(
    'Operator key of at least 16 characters. Unset: the first start writes one to DATA_DIR/api-key.',
  ),
  EMBEDDING_MODEL: text(
    'local: the bundled English model. local-multilingual: the package @lectern/multilingual-e5-small (in the repository and the image). Otherwise provider/name, such as openai/text-embedding-3-small.',
    'local',
  ),
  EMBEDDING_API_BASE: url("URL of the embedding endpoint. Unset: the provider's.", ['http', 'https']),
  EMBEDDING_API_KEY: secret('API key of the embedding endpoint.'),
  EMBEDDING_DIMENSIONS: integer(
    'Dimensions of the vectors, up to 4000. Unset: known for common models, otherwise measured at start.',
    undefined,
    { min: 1, max: 4_000 },
  ),
  EMBEDDING_THREADS: integer(
    'Threads that embed documents with a local model, each with a copy of the model. Unset: one per core.',
    undefined,
    { min: 1, max: 256 },
  ),
  EMBEDDING_BATCH_SIZE: integer('Texts per call of the embedding endpoint.', 64, { min: 1, max: 2_048 }),
  EMBEDDING_COSINE_FLOOR: decimal(
    'Cosine similarity with a score of 0: twice the similarity of unrelated texts, minus 1. Unset: known for common models, otherwise -1.',
    { min: -1, max: 0.95 },
  ),
  LLM_MODEL: text(
    'extractive: no language model; answers quote sentences, and features that need a model get a 422. Otherwise provider/name, such as openai/gpt-4o-mini or ollama_chat/llama3.2.',
    'extractive',
  ),
  LLM_API_BASE: url("URL of the completion endpoint. Unset: the provider's.", ['http', 'https']),
  LLM_API_KEY: secret('API key of the completion endpoint; sent nowhere else.'),
  LLM_CONTEXT_WINDOW: integer(
    'Context window in tokens. Unset: 4096 with Ollama, known for other common models, otherwise 8192.',
    undefined,
    { min: 512 },
  ),
  LLM_TIMEOUT_MS: integer('Deadline of one completion.', 120_000, { min: 1 }),
  LLM_ALLOWED_BASES: list(
    'Origins allowed in llm_config.api_base, comma-separated, or public for any public address. Empty: none.',
  ),
  LLM_VISION: choice('Whether the model reads images. Unset: known for common models.', ['true', 'false']),
  RUNTIME_SETTINGS: flag(
    'Operators may connect another model on the page Settings while the service runs; it replaces LLM_MODEL. false: only LLM_* apply.',
    true,
  ),
  ANY_MODEL_NAME: flag(
    'Under /v1 the configured model answers to every model name, such as gpt-4o. false: unknown names get a 404.',
    true,
  ),
  LLM_ALLOWED_MODELS: list(
    'Models besides the configured one that keys without write may name, comma-separated, such as openai/gpt-4o-mini.',
  ),
  LLM_MAX_ANSWER_TOKENS: integer(
    'Largest answer in tokens for keys without write and for browser tokens; 0: no limit.',
    4_096,
  ),
  QUERY_ENTITIES: flag('Recognises entities in every question before retrieval.', false),
  RERANKER: choice(
    'none: use_reranking is a 422. http: a /rerank endpoint (Cohere, Jina, TEI, vLLM).',
    ['none', 'http'],
    'none',
  ),
  RERANKER_API_BASE: url('URL of the rerank endpoint.', ['http', 'https']),
  RERANKER_API_KEY: secret('API key of the rerank endpoint.'),
  RERANKER_MODEL: text('Model name sent to the rerank endpoint.'),
  RERANK_BY_DEFAULT: flag('Reranks requests that do not set use_reranking.', false),
  MULTIVECTOR: choice(
    'Page search with use_colpali. none: searches passages; for an image query, the text and fingerprint of the image. http: searches page images with a late-interaction model.',
    ['none', 'http'],
    'none',
  ),
  MULTIVECTOR_API_BASE: url('URL of the page embedding server.', ['http', 'https']),
  MULTIVECTOR_API_KEY: secret('API key of the page embedding server.'),
  MULTIVECTOR_MODEL: text('Model name sent to the page embedding server.'),
  MULTIVECTOR_FORMAT: choice(
    "vllm: /pooling of vLLM. jina: the Jina API. morphik: Morphik's server.",
    ['vllm', 'jina', 'morphik'],
    'vllm',
  ),
  RETRIEVAL: choice('hybrid: vectors and BM25. dense: vectors only.', ['hybrid', 'dense'], 'hybrid'),
  STORAGE: choice('local: DATA_DIR/files. s3: an S3-compatible store.', ['local', 's3'], 'local'),
  S3_ENDPOINT: url('URL of the store; unset for AWS.', ['http', 'https']),
  S3_BUCKET: text('Bucket; required with STORAGE=s3.'),
  S3_REGION: text('Region.', 'us-east-1'),
  S3_ACCESS_KEY: secret('Access key.'),
  S3_SECRET_KEY: secret('Secret key.'),
  S3_TIMEOUT_MS: integer(
    'Maximum wait for a response or the next bytes of the store, then 503. Uploads have two more seconds per 256 KB.',
    10_000,
    { min: 100, max: 600_000 },
  ),
  STORAGE_READ_ONLY: flag(
    'Never writes or deletes files and runs no jobs: for a second service that reads the files of another one.',
    false,
  ),
  STORAGE_TAKE_OVER: text('Store id from the log. Assigns this store to this database, once.'),
  PUBLIC_URL: url('Base URL of signed URLs. Unset: http://HOST:PORT, with 127.0.0.1 for 0.0.0.0 and ::.', [
    'http',
    'https',
  ]),
  CHUNK_SIZE: integer('Tokens per chunk. Unset: 254 with a local model, 512 otherwise.', undefined, {
    min: 16,
    max: 32_768,
  }),
  CHUNK_OVERLAP: integer(
    'Tokens shared by neighbouring chunks. Unset: 54 with a local model, 64 otherwise, at most a quarter of CHUNK_SIZE.',
    undefined,
    { max: 16_384 },
  ),
  CHUNK_CONTEXT: choice(
    'on: a chunk is embedded with title, headings and table header. off: its text alone. To apply a change to stored texts, run lectern reindex.',
    ['on', 'off'],
    'on',
  ),
  UPDATE_STRATEGY: choice(
    'Default strategy of update_text and update_file. Morphik clients expect replace.',
    ['add', 'replace'],
    'add',
  ),
  INGEST_CONCURRENCY: integer(
    'Documents that one worker prepares at once; from 2 on, one slot is reserved for short documents. Unset: one per core, 2 to 8.',
    undefined,
    { min: 1, max: 64 },
  ),
  WORKER: choice(
    'inline: this process also ingests. only: a worker, which serves only /health, /ping and /metrics. off: API only.',
    ['inline', 'only', 'off'],
    'inline',
  ),
  SOFFICE_PATH: text('LibreOffice executable. Unset: soffice on the PATH.'),
  MAX_BODY_MB: integer('Maximum JSON body with documents or images.', 25, { min: 1, max: 1_024 }),
  MAX_QUERY_BODY_MB: integer('Maximum JSON body of other routes.', 1, { min: 1, max: 1_024 }),
  MAX_FILE_MB: integer('Maximum size of an uploaded file.', 200, { min: 1, max: 4_096 }),
  MAX_K: integer('Maximum of k.', 1_000, { min: 1, max: 10_000 }),
  MAX_PADDING: integer('Maximum of padding.', 100, { max: 1_000 }),
  RATE_LIMIT_PER_MINUTE: integer('Requests per minute and key over all processes; 0: no limit.', 600),
  QUOTA_TENANT: quotas(
    `What one tenant may have (${STOCKS.join(', ')}) and use in a day (${FLOWS.join(', ')}), such as documents=1000,bytes=2GB. A name that is absent: no limit.`,
    'folders=100000,webhooks=100',
  ),
  QUOTA_PERSON: quotas('The same for one end user of a tenant.', 'folders=10000,webhooks=10'),
  WEBHOOK_ALLOWED_BASES: list(
    'Origins to which webhooks may send, comma-separated, or public for any public https address. Empty: no webhooks.',
  ),
  TRUST_PROXY: networks(
    'Reverse proxies whose X-Forwarded-For names the client: addresses, ranges, or loopback, linklocal, uniquelocal; comma-separated.',
  ),
  ...signInDefinition,
  CORS_ORIGINS: list('Origins from which browsers may call the API, comma-separated.'),
  PLAYGROUND: flag('Playground at /.', true),
  DOCS: flag('Swagger UI at /docs, OpenAPI document at /openapi.json.', true),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(
    'URL of an OpenTelemetry collector (OTLP over HTTP); enables tracing. docs/reference/metrics.md lists further OTEL_* variables.',
    ['http', 'https'],
  ),
  LOG_LEVEL: choice(
    'Minimum severity of log messages.',
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
  ),
  LOG_FORMAT: choice('Unset: pretty on a terminal, json otherwise.', ['pretty', 'json']),
} as const satisfies Record<string, Setting<unknown>>;

type Definition = typeof definition;

/** The validated environment, frozen at start. */
export type Settings = {
  readonly [K in keyof Definition]: Definition[K] extends Setting<infer T> ? T : never;
};

/** Injection token of the settings. */
export const SETTINGS = Symbol('SETTINGS');
