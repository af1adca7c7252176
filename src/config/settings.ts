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

/** Every environment variable of the service, in the order of `.env.example`, which is generated from here. */
export const definition = {
  HOST: text('Listening address. In the container image HOST is 0.0.0.0.', '127.0.0.1'),
  PORT: integer('Listening port; 0 takes a free one.', 8000, { max: 65_535 }),
  SHUTDOWN_DELAY_MS: integer(
    'How long the process goes on serving after SIGTERM with /health/ready at 503, so that a load balancer sends its requests elsewhere: somewhat longer than that takes to notice.',
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
    'Longest time of one statement, past which a request is answered with 504, or with 503 when the database is silent.',
    15_000,
    { min: 100, max: 3_600_000 },
  ),
  DATABASE_CONNECT_TIMEOUT_MS: integer(
    'Longest wait for a connection, a free or a new one, past which a request is answered with 503; for the one connection of the embedded database the time of a statement is added.',
    5_000,
    { min: 100, max: 600_000 },
  ),
  DATABASE_START_TIMEOUT_MS: integer(
    'How long a start goes on trying while DATABASE_URL cannot be reached, with a line in the log each time.',
    60_000,
    { max: 3_600_000 },
  ),
  AUTH_MODE: choice(
    'key: Bearer keys. none: no authentication, one built-in tenant; refused unless HOST is a loopback address or ALLOW_INSECURE=true.',
    ['key', 'none'],
    'key',
  ),
  ALLOW_INSECURE: flag('Allows AUTH_MODE=none on an address that other machines reach.', false),
  JWT_SECRET: secret(
    'Signs API keys and URLs; at least 32 bytes. Required with DATABASE_URL; otherwise generated into DATA_DIR.',
  ),
  ADMIN_KEY: secret(
    'Bearer key with every permission in the default tenant, at least 16 characters. Unset: one is created on the first start and written to DATA_DIR/api-key.',
  ),
  EMBEDDING_MODEL: text(
    'local: the bundled English model. local-multilingual: the one for a hundred languages, from the package @lectern/multilingual-e5-small (in the repository and the image already). Otherwise a LiteLLM-style name such as openai/text-embedding-3-small or ollama/nomic-embed-text.',
    'local',
  ),
  EMBEDDING_API_BASE: url(
    'Address of the embedding endpoint, when it is not the usual one of the provider.',
    ['http', 'https'],
  ),
  EMBEDDING_API_KEY: secret('Key for the embedding endpoint.'),
  EMBEDDING_DIMENSIONS: integer(
    'Length of the vectors, up to 4000. Unset: known for common models, otherwise asked of the model at start.',
    undefined,
    { min: 1, max: 4_000 },
  ),
  EMBEDDING_BATCH_SIZE: integer('Texts in one call to the embedding endpoint.', 64, { min: 1, max: 2_048 }),
  EMBEDDING_COSINE_FLOOR: decimal(
    'Cosine of texts that have nothing in common, as this model gives it: the score of a passage counts from there. Unset: known for common models, otherwise -1.',
    { min: -1, max: 0.95 },
  ),
  LLM_MODEL: text(
    'extractive: no language model; answers with whole sentences of the retrieved chunks, or says that no answer was found. What needs a model (schema, entity_extraction, rules) is a 422. Otherwise a LiteLLM-style name such as openai/gpt-4o-mini or ollama_chat/llama3.2.',
    'extractive',
  ),
  LLM_API_BASE: url('Address of the completion endpoint, when it is not the usual one of the provider.', [
    'http',
    'https',
  ]),
  LLM_API_KEY: secret('Key for the completion endpoint; sent to LLM_API_BASE (or the usual address) only.'),
  LLM_CONTEXT_WINDOW: integer(
    'Tokens that the model reads. Unset: known for common models, otherwise 8192.',
    undefined,
    {
      min: 512,
    },
  ),
  LLM_TIMEOUT_MS: integer('Deadline of one completion.', 120_000, { min: 1 }),
  LLM_ALLOWED_BASES: list(
    'Origins that llm_config.api_base may name, comma-separated, or the word public for any public address. Empty: api_base is off.',
  ),
  LLM_VISION: choice('Whether the model reads images. Unset: known for common models.', ['true', 'false']),
  QUERY_ENTITIES: flag(
    'Whether every question runs through entity extraction and resolution before retrieval.',
    false,
  ),
  RERANKER: choice(
    'none: use_reranking is refused. http: a /rerank endpoint of the Cohere, Jina, TEI or vLLM kind.',
    ['none', 'http'],
    'none',
  ),
  RERANKER_API_BASE: url('Address of the rerank endpoint; required with RERANKER=http.', ['http', 'https']),
  RERANKER_API_KEY: secret('Key for the rerank endpoint.'),
  RERANKER_MODEL: text('Model name sent to the rerank endpoint.'),
  RERANK_BY_DEFAULT: flag('Whether a request without use_reranking is reranked.', false),
  MULTIVECTOR: choice(
    'How pages are found with use_colpali. none: by the passages on them, and by a picture of them by its text and fingerprint. http: by their images too, with a late-interaction model behind MULTIVECTOR_API_BASE.',
    ['none', 'http'],
    'none',
  ),
  MULTIVECTOR_API_BASE: url('Address of the page embedding server; required with MULTIVECTOR=http.', [
    'http',
    'https',
  ]),
  MULTIVECTOR_API_KEY: secret('Key for the page embedding server.'),
  MULTIVECTOR_MODEL: text('Model name sent to the page embedding server; it names the stored vectors too.'),
  MULTIVECTOR_FORMAT: choice(
    'What the server speaks. vllm: /pooling of vLLM. jina: the Jina API with return_multivector. morphik: the embedding server of Morphik.',
    ['vllm', 'jina', 'morphik'],
    'vllm',
  ),
  RETRIEVAL: choice(
    'hybrid: dense vectors and BM25, fused. dense: vectors alone.',
    ['hybrid', 'dense'],
    'hybrid',
  ),
  STORAGE: choice('local: DATA_DIR/files. s3: an S3-compatible store.', ['local', 's3'], 'local'),
  S3_ENDPOINT: url('Address of the store; unset for AWS.', ['http', 'https']),
  S3_BUCKET: text('Bucket; required with STORAGE=s3.'),
  S3_REGION: text('Region.', 'us-east-1'),
  S3_ACCESS_KEY: secret('Access key.'),
  S3_SECRET_KEY: secret('Secret key.'),
  S3_TIMEOUT_MS: integer(
    'Longest wait for an answer of the store, or for the next bytes of a file, past which a request is answered with 503; a part of an upload has two seconds more for each 256 KB.',
    10_000,
    { min: 100, max: 600_000 },
  ),
  STORAGE_READ_ONLY: flag(
    'Files are read, never written or deleted, and no jobs are taken: for a second service on the files of another one.',
    false,
  ),
  STORAGE_TAKE_OVER: text(
    'The id that the log names when the store belongs to another database: makes it the store of this one, once.',
  ),
  PUBLIC_URL: url('Base of signed URLs. Unset: http://HOST:PORT.', ['http', 'https']),
  CHUNK_SIZE: integer(
    'Tokens of the embedding model in one chunk. Unset: 254 with a local model, 512 otherwise.',
    undefined,
    {
      min: 16,
      max: 32_768,
    },
  ),
  CHUNK_OVERLAP: integer(
    'Tokens that neighbouring chunks share. Unset: 54 with a local model, 64 otherwise.',
    undefined,
    {
      max: 16_384,
    },
  ),
  CHUNK_CONTEXT: choice(
    'on: what is embedded for a chunk begins with the title of its document, the headings above it and the header of its table, within CHUNK_SIZE. off: its text alone. A change applies to new and updated text, and to all of it after lectern reindex.',
    ['on', 'off'],
    'on',
  ),
  UPDATE_STRATEGY: choice(
    "What update_text and update_file do when a request names no strategy. replace: as clients of today's Morphik expect.",
    ['add', 'replace'],
    'add',
  ),
  INGEST_CONCURRENCY: integer(
    'Documents prepared, and batches of chunks written, at once by one worker; from 2 on, one of them is always short. Unset: as many as there are cores, 2 at least and 8 at most.',
    undefined,
    { min: 1, max: 64 },
  ),
  WORKER: choice(
    'inline: this process also ingests. only: a worker, whose HOST and PORT answer /health, /ping and /metrics alone. off: API only.',
    ['inline', 'only', 'off'],
    'inline',
  ),
  SOFFICE_PATH: text(
    'Program of LibreOffice, which reads DOC, XLS, PPT, RTF, ODS and ODP. Unset: soffice on the PATH, where there is one.',
  ),
  MAX_BODY_MB: integer(
    'Largest JSON body of the routes that carry documents: ingestion, updates, and questions, which may be an image.',
    25,
    { min: 1, max: 1_024 },
  ),
  MAX_QUERY_BODY_MB: integer('Largest JSON body of the other routes.', 1, { min: 1, max: 1_024 }),
  MAX_FILE_MB: integer('Largest uploaded file.', 200, { min: 1, max: 4_096 }),
  MAX_K: integer('Upper bound of k.', 1_000, { min: 1, max: 10_000 }),
  MAX_PADDING: integer('Upper bound of padding.', 100, { max: 1_000 }),
  RATE_LIMIT_PER_MINUTE: integer(
    'Requests a minute for each key, over all processes on one server; 0 turns it off.',
    600,
  ),
  TRUST_PROXY: networks(
    'Reverse proxies whose X-Forwarded-For names the client: addresses, ranges such as 10.0.0.0/8, or loopback, linklocal, uniquelocal; comma-separated. Wrong keys are counted by that address. Empty: none, the address of the connection counts.',
  ),
  CORS_ORIGINS: list('Origins that browsers may call from, comma-separated.'),
  PLAYGROUND: flag('The playground: pages for people at /, in which documents are tried out.', true),
  DOCS: flag('Swagger UI at /docs, OpenAPI document at /openapi.json.', true),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(
    'Address of an OpenTelemetry collector (OTLP over HTTP); turns tracing on. Other OTEL_* variables count as usual, OTEL_EXPORTER_OTLP_HEADERS and OTEL_TRACES_SAMPLER among them.',
    ['http', 'https'],
  ),
  LOG_LEVEL: choice(
    'Least severity that is logged.',
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
  ),
  LOG_FORMAT: choice('Unset: pretty on a terminal, json otherwise.', ['pretty', 'json']),
} as const satisfies Record<string, Setting<unknown>>;

type Definition = typeof definition;

/** The validated environment: one typed object, frozen at start. */
export type Settings = {
  readonly [K in keyof Definition]: Definition[K] extends Setting<infer T> ? T : never;
};

/** DI token of the settings object. */
export const SETTINGS = Symbol('SETTINGS');
