import { APIConnectionError, APIError } from 'openai';
import { ProviderFailed, TooManyRequests, type LecternError } from '../../errors/index.js';
import { ResponseFormatRefused } from '../response-format-refused.js';
import { ConnectionRefused } from '../egress/connection-refused.js';

/** A provider's failure as this service reports it, and whether trying again can help. */
export interface Failure {
  readonly error: LecternError;
  readonly retry: boolean;
  /** Milliseconds the provider asked to wait. */
  readonly waitMs: number | null;
}

const RETRIED_STATUS = new Set([408, 409, 425, 500, 502, 503, 504, 520, 522, 524, 529]);

/**
 * Classifies what a call to a provider threw. The message is ours: a provider's own words may repeat the prompt or a
 * key.
 * @param askedFormat whether the request named a response format, which a 400 or 422 may be about.
 */
export function failureOf(error: unknown, model: string, askedFormat = false): Failure {
  if (error instanceof ProviderFailed) return { error, retry: true, waitMs: null };
  if (askedFormat && error instanceof APIError && (error.status === 400 || error.status === 422)) {
    const refusal = `The provider of ${model} refused the response format (${error.status})`;
    return {
      error: new ResponseFormatRefused(refusal, undefined, { cause: error }),
      retry: false,
      waitMs: null,
    };
  }
  const refusal = ConnectionRefused.in(error);
  if (refusal !== undefined) return failed(refusal.message, error);
  if (error instanceof APIConnectionError)
    return failed(`The provider of ${model} could not be reached`, error, true);
  if (error instanceof APIError) {
    const { status } = error as APIError;
    if (status !== undefined) return answered(status, model, error as APIError);
  }
  return failed(`The provider of ${model} sent an answer that could not be read`, error, true);
}

function failed(reason: string, cause: unknown, retry = false): Failure {
  const waitMs = cause instanceof APIError ? waitAsked((cause as APIError).headers) : null;
  return { error: new ProviderFailed(reason, undefined, { cause }), retry, waitMs };
}

function answered(status: number, model: string, cause: APIError): Failure {
  if (status === 429) return limited(model, cause);
  if (RETRIED_STATUS.has(status)) return failed(`The provider of ${model} failed (${status})`, cause, true);
  if (status === 401 || status === 403)
    return failed(`The provider of ${model} refused the key (${status})`, cause);
  if (status === 404) return failed(`The provider does not know the model ${model} (404)`, cause);
  if (cause.code === 'context_length_exceeded') {
    return failed(`The prompt is longer than ${model} reads: set its context window`, cause);
  }
  return failed(`The provider of ${model} refused the request (${status})`, cause);
}

function limited(model: string, cause: APIError): Failure {
  const wait = waitAsked(cause.headers);
  const seconds = wait === null ? 1 : Math.max(1, Math.ceil(wait / 1000));
  return {
    error: new TooManyRequests(`The provider of ${model} limits the rate of requests`, seconds, { cause }),
    retry: cause.code !== 'insufficient_quota',
    waitMs: wait,
  };
}

/** `Retry-After` in seconds or as a date, or the `retry-after-ms` of some providers; in milliseconds. */
export function waitAsked(headers: Headers | undefined): number | null {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? NaN);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  const raw = headers?.get('retry-after');
  if (raw === null || raw === undefined || raw.trim() === '') return null;
  const wait = /^\s*\d+(\.\d+)?\s*$/.test(raw) ? Number(raw) * 1000 : Date.parse(raw) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}
