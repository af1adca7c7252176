import { resolve, sep } from 'node:path';
import { type ChunkBudget, type ChunkSizes, contextTokens, FILES_AT_ONCE, USUAL_CHUNKS } from '#reader';
import { localModel } from './local-models.js';
import type { Settings } from './settings.js';
import { signInProblems } from './sign-in-problems.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** Matches a secret that was copied from an example. Anyone who guesses the secret can sign keys. */
const PLACEHOLDER =
  /change.?me|your.*(secret|key)|secret.*(here|key)|example|placeholder|^(?<one>.)\k<one>+$/i;

/**
 * Finds settings whose values are valid individually but not in combination. Returns a message for each problem, with
 * the names of the variables.
 */
export function problemsOf(settings: Settings): string[] {
  return [
    ...folderProblems(settings),
    ...secretProblems(settings),
    ...bindingProblems(settings),
    ...signInProblems(settings),
    ...adapterProblems(settings),
    ...chunkProblems(settings),
  ];
}

function folderProblems({ DATA_DIR }: Settings): string[] {
  const folder = resolve(DATA_DIR);
  if (!folder.split(sep).includes('node_modules')) return [];
  return [`DATA_DIR ${folder} is inside node_modules, which the next install may empty: set another folder`];
}

function secretProblems({
  JWT_SECRET,
  JWT_SECRET_PREVIOUS,
  ADMIN_KEY,
  DATABASE_URL,
  AUTH_MODE,
}: Settings): string[] {
  const problems: string[] = [];
  if (JWT_SECRET_PREVIOUS !== undefined && Buffer.byteLength(JWT_SECRET_PREVIOUS) < 32) {
    problems.push('JWT_SECRET_PREVIOUS is shorter than 32 bytes');
  } else if (JWT_SECRET_PREVIOUS !== undefined && PLACEHOLDER.test(JWT_SECRET_PREVIOUS)) {
    problems.push('JWT_SECRET_PREVIOUS is a published placeholder: remove it');
  }
  if (JWT_SECRET === undefined) {
    if (DATABASE_URL !== undefined && AUTH_MODE === 'key') {
      problems.push(
        'JWT_SECRET is required with DATABASE_URL: set it to at least 32 random bytes, for example from `openssl rand -base64 48`',
      );
    }
  } else if (Buffer.byteLength(JWT_SECRET) < 32) {
    problems.push('JWT_SECRET is shorter than 32 bytes');
  } else if (PLACEHOLDER.test(JWT_SECRET)) {
    problems.push('JWT_SECRET is a published placeholder: set a random one');
  }
  if (ADMIN_KEY !== undefined && (ADMIN_KEY.length < 16 || PLACEHOLDER.test(ADMIN_KEY))) {
    problems.push('ADMIN_KEY is too short or a placeholder: set at least 16 random characters');
  }
  return problems;
}

function bindingProblems({ AUTH_MODE, HOST, ALLOW_INSECURE }: Settings): string[] {
  if (AUTH_MODE === 'key' || LOOPBACK.test(HOST) || ALLOW_INSECURE) return [];
  return [
    `AUTH_MODE=none is refused on HOST=${HOST}, which other machines can reach: use a loopback address, or set ALLOW_INSECURE=true`,
  ];
}

function adapterProblems(settings: Settings): string[] {
  const problems: string[] = [];
  if (settings.RERANKER === 'http' && settings.RERANKER_API_BASE === undefined) {
    problems.push('RERANKER_API_BASE is required with RERANKER=http');
  }
  if (settings.RERANKER === 'none' && settings.RERANK_BY_DEFAULT) {
    problems.push('RERANK_BY_DEFAULT=true requires a reranker, but RERANKER is none');
  }
  if (settings.MULTIVECTOR === 'http') {
    if (settings.MULTIVECTOR_API_BASE === undefined) {
      problems.push('MULTIVECTOR_API_BASE is required with MULTIVECTOR=http');
    }
    if (settings.MULTIVECTOR_MODEL === undefined) {
      problems.push('MULTIVECTOR_MODEL is required with MULTIVECTOR=http');
    }
  }
  if (settings.STORAGE === 's3' && settings.S3_BUCKET === undefined) {
    problems.push('S3_BUCKET is required with STORAGE=s3');
  }
  if (settings.WORKER === 'only' && settings.DATABASE_URL === undefined) {
    problems.push('WORKER=only requires DATABASE_URL: the embedded database serves one process');
  }
  const local = localModel(settings.EMBEDDING_MODEL);
  const { EMBEDDING_DIMENSIONS: length } = settings;
  if (local !== undefined && length !== undefined && length !== local.dimensions) {
    problems.push(
      `EMBEDDING_DIMENSIONS must be ${local.dimensions} or unset with EMBEDDING_MODEL=${settings.EMBEDDING_MODEL}`,
    );
  }
  return problems;
}

function chunkProblems(settings: Settings): string[] {
  const { size, overlap } = chunkBudget(settings);
  const problems: string[] = [];
  const most = localModel(settings.EMBEDDING_MODEL)?.chunkTokens ?? Infinity;
  if (size > most) problems.push(`CHUNK_SIZE is ${size}, but the local model accepts at most ${most} tokens`);
  if (overlap * 2 > size) problems.push(`CHUNK_OVERLAP is ${overlap}, more than half of CHUNK_SIZE ${size}`);
  return problems;
}

/**
 * Default sizes in tokens. They are smaller for a local model, because its processing time grows with the length of a
 * chunk.
 */
const LOCAL_CHUNK = { size: 254, overlap: 54 };

/** Returns the configured chunk sizes. Sizes that are not set have defaults that depend on the embedding model. */
export function chunkBudget(settings: Settings): ChunkBudget {
  const usual = localModel(settings.EMBEDDING_MODEL) === undefined ? USUAL_CHUNKS : LOCAL_CHUNK;
  const size = settings.CHUNK_SIZE ?? usual.size;
  return {
    size,
    overlap: settings.CHUNK_OVERLAP ?? Math.min(usual.overlap, Math.floor(size / 4)),
    context: settings.CHUNK_CONTEXT === 'off' ? 0 : contextTokens(size),
  };
}

/**
 * Limits requested sizes: a chunk is not longer than a local embedding model accepts, and the overlap is at most half a
 * chunk.
 */
export function usableSizes({ size, overlap }: ChunkSizes, settings: Settings): ChunkSizes {
  const most = localModel(settings.EMBEDDING_MODEL)?.chunkTokens ?? Infinity;
  const used = Math.min(size, most);
  return { size: used, overlap: Math.min(overlap, Math.floor(used / 2)) };
}

/** Returns the number of documents that one worker prepares at once. */
export function documentsAtOnce({ INGEST_CONCURRENCY }: Settings): number {
  return INGEST_CONCURRENCY ?? FILES_AT_ONCE;
}
