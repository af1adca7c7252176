import { S3ServiceException } from '@aws-sdk/client-s3';
import { NotFound } from '../../errors/index.js';
import { StoreUnavailable } from '../object-store.js';

/** Returns the name by which the SDK tells its errors apart. */
export function nameOf(error: unknown): unknown {
  return error instanceof Error ? error.name : undefined;
}

/** Whether the object is missing, but not its bucket. */
export function isMissing(error: unknown): boolean {
  return (
    error instanceof S3ServiceException &&
    error.$metadata.httpStatusCode === 404 &&
    error.name !== 'NoSuchBucket'
  );
}

/** @returns undefined if the object is missing */
export async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

/** The error of a store that does not answer in time. */
export function silent(cause?: unknown): StoreUnavailable {
  return new StoreUnavailable('The object store does not answer', 'check S3_ENDPOINT and S3_TIMEOUT_MS', {
    cause,
  });
}

/** Translates an error of the SDK to a domain error, which does not contain the message of the store. */
export function explained(cause: unknown): Error {
  if (cause instanceof StoreUnavailable) return cause;
  if (isMissing(cause)) return new NotFound('The file does not exist');
  if (cause instanceof S3ServiceException) {
    const status = cause.$metadata.httpStatusCode ?? 500;
    return new StoreUnavailable(
      `The object store rejected a request with status ${status} (${cause.name})`,
      remedyOf(status, cause.name),
      { storeCode: cause.name },
    );
  }
  if (nameOf(cause) === 'CredentialsProviderError') {
    return new StoreUnavailable(
      'The object store has no credentials',
      'set S3_ACCESS_KEY and S3_SECRET_KEY, or give this machine a role',
    );
  }
  return new StoreUnavailable('The object store cannot be reached', 'check S3_ENDPOINT', { cause });
}

function remedyOf(status: number, name: string): string {
  if (name === 'NoSuchBucket') return 'S3_BUCKET names a bucket that does not exist';
  if (status === 401 || status === 403) {
    return 'check S3_ACCESS_KEY and S3_SECRET_KEY, and their permission to list S3_BUCKET and to get, put and delete its objects';
  }
  if (status < 500) return 'check S3_REGION, S3_ENDPOINT and S3_BUCKET';
  return 'check the log of the store';
}
