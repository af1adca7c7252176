import {
  choice,
  decimal,
  flag,
  integer,
  list,
  networks,
  secret,
  text,
  url,
  type Setting,
} from './definition.js';

/** Every environment variable of the service. `.env.example` is generated from it, in this order. */
export const definition = {
  HOST: text('Listening address. In the container image HOST is 0.0.0.0.', '127.0.0.1'),
  PORT: integer('Listening port; 0 selects a free one.', 8000, { max: 65_535 }),
  SHUTDOWN_DELAY_MS: integer(
    'Time the process keeps serving after SIGTERM with /health/ready at 503, so that a load balancer redirects its requests. Set it longer than the load balancer needs to notice.',
    0,
    { max: 300_000 },
  ),
  DATA_DIR: text('Embedded database, stored files, generated secrets.', './data'),
  DATABASE_URL: url(
    'PostgreSQL with pgvector >= 0.8. Unset: embedded PostgreSQL (PGlite with pgvector) inside DATA_DIR.',
    ['postgres', 'postgresql'],
    true,
  ),
  DATABASE_POOL_SIZE: integer('Connections to DATABASE_URL; the embedded database always has one.', 10, {
    min: 2,
    max: 1_000,
  }),
  DATABASE_STATEMENT_TIMEOUT_MS: integer(
    'Deadline of one statement. Beyond it a request gets a 504, or a 503 when the database does not respond.',
    15_000,
    { min: 100, max: 3_600_000 },
  ),
  DATABASE_CONNECT_TIMEOUT_MS: integer(
    'Maximum wait for a database connection. Beyond it a request gets a 503. With the embedded database, which has one connection, the statement deadline is added.',
    5_000,
    { min: 100, max: 600_000 },
  ),
  DATABASE_START_TIMEOUT_MS: integer(
    'Time the start keeps retrying while DATABASE_URL is unreachable. Each try is logged.',
    60_000,
    { max: 3_600_000 },
  ),
  AUTH_MODE: choice(
    'key: Bearer keys. none: no authentication, one built-in tenant; refused unless HOST is a loopback address or ALLOW_INSECURE=true.',
    ['key', 'none'],
    'key',
  ),
  ALLOW_INSECURE: flag('Allows AUTH_MODE=none on an address that other machines can reach.', false),
  JWT_SECRET: secret(
    'Signs API keys and URLs; at least 32 bytes. Required with DATABASE_URL; otherwise generated in DATA_DIR.',
  ),
  ADMIN_KEY: secret(
    'Bearer key with every permission in the default tenant, at least 16 characters. Unset: one is created on the first start and written to DATA_DIR/api-key.',
  ),
  EMBEDDING_MODEL: text(
    'local: the bundled English model. local-multilingual: the model for a hundred languages from the package @lectern/multilingual-e5-small (already in the repository and the image). Otherwise a LiteLLM-style name such as openai/text-embedding-3-small or ollama/nomic-embed-text.',
    'local',
  ),
  EMBEDDING_API_BASE: url('URL of the embedding endpoint. Unset: the default URL of the provider.', [
    'http',
    'https',
  ]),
  EMBEDDING_API_KEY: secret('API key of the embedding endpoint.'),
  EMBEDDING_DIMENSIONS: integer(
    'Dimensions of the vectors, up to 4000. Unset: known for common models, otherwise measured with one call at start.',
    undefined,
    { min: 1, max: 4_000 },
  ),
  EMBEDDING_BATCH_SIZE: integer('Texts per call of the embedding endpoint.', 64, { min: 1, max: 2_048 }),
  EMBEDDING_COSINE_FLOOR: decimal(
    'Cosine similarity of unrelated texts with this model, where the score of a passage is 0. Unset: known for common models, otherwise -1.',
    { min: -1, max: 0.95 },
  ),
  LLM_MODEL: text(
    'extractive: no language model; answers quote whole sentences of the retrieved chunks, or state that no answer was found. Features that require a model (schema, entity_extraction, rules) get a 422. Otherwise a LiteLLM-style name such as openai/gpt-4o-mini or ollama_chat/llama3.2.',
    'extractive',
  ),
  LLM_API_BASE: url('URL of the completion endpoint. Unset: the default URL of the provider.', [
    'http',
    'https',
  ]),
  LLM_API_KEY: secret('API key of the completion endpoint; sent only to LLM_API_BASE or the default URL.'),
  LLM_CONTEXT_WINDOW: integer(
    'Context window of the model in tokens. Unset: known for common models, otherwise 8192.',
    undefined,
    {
      min: 512,
    },
  ),
  LLM_TIMEOUT_MS: integer('Deadline of one completion.', 120_000, { min: 1 }),
  LLM_ALLOWED_BASES: list(
    'Origins allowed in llm_config.api_base, comma-separated, or the word public for any public address. Empty: api_base is disabled.',
  ),
  LLM_VISION: choice('Whether the model reads images. Unset: known for common models.', ['true', 'false']),
  ANY_MODEL_NAME: flag(
    'Under /v1 the configured model answers every completion model name, such as gpt-4o, and the answer repeats the name. false: an unknown name gets a 404. Embedding models are known by their own names only.',
    true,
  ),
  QUERY_ENTITIES: flag('Runs entity extraction and resolution on every question before retrieval.', false),
  RERANKER: choice(
    'none: use_reranking is rejected. http: a /rerank endpoint like that of Cohere, Jina, TEI or vLLM.',
    ['none', 'http'],
    'none',
  ),
  RERANKER_API_BASE: url('URL of the rerank endpoint; required with RERANKER=http.', ['http', 'https']),
  RERANKER_API_KEY: secret('API key of the rerank endpoint.'),
  RERANKER_MODEL: text('Model name sent to the rerank endpoint.'),
  RERANK_BY_DEFAULT: flag('Reranks requests without use_reranking.', false),
  MULTIVECTOR: choice(
    'Page search with use_colpali. none: by the passages of the page, and for an image query by its text and fingerprint. http: also by page images, with a late-interaction model at MULTIVECTOR_API_BASE.',
    ['none', 'http'],
    'none',
  ),
  MULTIVECTOR_API_BASE: url('URL of the page embedding server; required with MULTIVECTOR=http.', [
    'http',
    'https',
  ]),
  MULTIVECTOR_API_KEY: secret('API key of the page embedding server.'),
  MULTIVECTOR_MODEL: text(
    'Model name sent to the page embedding server; also identifies the stored vectors.',
  ),
  MULTIVECTOR_FORMAT: choice(
    'Protocol of the server. vllm: /pooling of vLLM. jina: the Jina API with return_multivector. morphik: the embedding server of Morphik.',
    ['vllm', 'jina', 'morphik'],
    'vllm',
  ),
  RETRIEVAL: choice(
    'hybrid: dense vectors fused with BM25. dense: vectors only.',
    ['hybrid', 'dense'],
    'hybrid',
  ),
  STORAGE: choice('local: DATA_DIR/files. s3: an S3-compatible store.', ['local', 's3'], 'local'),
  S3_ENDPOINT: url('URL of the store; unset for AWS.', ['http', 'https']),
  S3_BUCKET: text('Bucket; required with STORAGE=s3.'),
  S3_REGION: text('Region.', 'us-east-1'),
  S3_ACCESS_KEY: secret('Access key.'),
  S3_SECRET_KEY: secret('Secret key.'),
  S3_TIMEOUT_MS: integer(
    'Maximum wait for a response of the store, or for the next bytes of a file. Beyond it a request gets a 503. A part of an upload has two more seconds per 256 KB.',
    10_000,
    { min: 100, max: 600_000 },
  ),
  STORAGE_READ_ONLY: flag(
    'Reads files, never writes or deletes them, and runs no jobs: for a second service on the files of another one.',
    false,
  ),
  STORAGE_TAKE_OVER: text(
    'Assigns a store of another database to this database, once. The value is the id from the log.',
  ),
  PUBLIC_URL: url('Base URL of signed URLs. Unset: http://HOST:PORT.', ['http', 'https']),
  CHUNK_SIZE: integer(
    'Tokens of the embedding model per chunk. Unset: 254 with a local model, 512 otherwise.',
    undefined,
    {
      min: 16,
      max: 32_768,
    },
  ),
  CHUNK_OVERLAP: integer(
    'Tokens shared by neighbouring chunks. Unset: 54 with a local model, 64 otherwise.',
    undefined,
    {
      max: 16_384,
    },
  ),
  CHUNK_CONTEXT: choice(
    'on: the embedded text of a chunk starts with the title of its document, the headings above it and the header of its table, within CHUNK_SIZE. off: the text alone. A change applies to new and updated text, and to all text after lectern reindex.',
    ['on', 'off'],
    'on',
  ),
  UPDATE_STRATEGY: choice(
    'Strategy of update_text and update_file when a request names none. Clients of the current Morphik expect replace.',
    ['add', 'replace'],
    'add',
  ),
  INGEST_CONCURRENCY: integer(
    'Documents prepared at once, and batches of chunks written at once, by one worker. From 2 on, one slot is reserved for short documents. Unset: one per core, at least 2 and at most 8.',
    undefined,
    { min: 1, max: 64 },
  ),
  WORKER: choice(
    'inline: this process also ingests. only: a worker, which serves only /health, /ping and /metrics on HOST and PORT. off: API only.',
    ['inline', 'only', 'off'],
    'inline',
  ),
  SOFFICE_PATH: text(
    'LibreOffice executable, which reads DOC, XLS, PPT, RTF, ODS and ODP. Unset: soffice on the PATH, if present.',
  ),
  MAX_BODY_MB: integer(
    'Maximum JSON body of routes with documents: ingestion, updates, and questions, which may be an image.',
    25,
    { min: 1, max: 1_024 },
  ),
  MAX_QUERY_BODY_MB: integer('Maximum JSON body of the other routes.', 1, { min: 1, max: 1_024 }),
  MAX_FILE_MB: integer('Maximum size of an uploaded file.', 200, { min: 1, max: 4_096 }),
  MAX_K: integer('Maximum of k.', 1_000, { min: 1, max: 10_000 }),
  MAX_PADDING: integer('Maximum of padding.', 100, { max: 1_000 }),
  RATE_LIMIT_PER_MINUTE: integer(
    'Requests per minute and key, counted over all processes of the database; 0 disables the limit.',
    600,
  ),
  TRUST_PROXY: networks(
    'Reverse proxies whose X-Forwarded-For names the client: addresses, ranges such as 10.0.0.0/8, or loopback, linklocal, uniquelocal; comma-separated. Wrong keys are counted per client address. Empty: the client is the address of the connection.',
  ),
  CORS_ORIGINS: list('Origins from which browsers may call the API, comma-separated.'),
  PLAYGROUND: flag('Playground: pages at / for trying documents out.', true),
  DOCS: flag('Swagger UI at /docs, OpenAPI document at /openapi.json.', true),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(
    'URL of an OpenTelemetry collector (OTLP over HTTP); enables tracing. Other OTEL_* variables apply as usual, for example OTEL_EXPORTER_OTLP_HEADERS and OTEL_TRACES_SAMPLER.',
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
