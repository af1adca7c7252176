import { APIConnectionError, APIError } from 'openai';
import { ProviderFailed, TooManyRequests, type LecternError } from '../../errors/index.js';
import { ResponseFormatRefused } from '../response-format-refused.js';
import { ConnectionRefused } from '../egress/connection-refused.js';
import type { ModelSettings } from '../model-settings.js';
import { loggedCause } from './logged-cause.js';

/** A provider's failure as this service reports it, and whether trying again can help. */
export interface Failure {
  readonly error: LecternError;
  readonly retry: boolean;
  /** Milliseconds the provider asked to wait. */
  readonly waitMs: number | null;
}

const RETRIED_STATUS = new Set([408, 409, 425, 500, 502, 503, 504, 520, 522, 524, 529]);

type Asked = Pick<ModelSettings, 'name' | 'apiKey' | 'logsProviderWords'>;

/**
 * Classifies what a call to a provider threw. The message is ours: a provider's own words may repeat the prompt or a
 * key.
 * @param asked the model that was called.
 * @param askedFormat whether the request named a response format, which a 400 or 422 may be about.
 */
export function failureOf(error: unknown, asked: Asked, askedFormat = false): Failure {
  if (error instanceof ProviderFailed) return { error, retry: true, waitMs: null };
  const failure = classified(error, asked.name, askedFormat);
  failure.error.cause = loggedCause(error, asked);
  return failure;
}

function classified(error: unknown, model: string, askedFormat: boolean): Failure {
  if (askedFormat && error instanceof APIError && mayBeAboutFormat(error as APIError)) {
    const refusal = `The provider of ${model} refused the response format (${String(error.status)})`;
    return { error: new ResponseFormatRefused(refusal), retry: false, waitMs: null };
  }
  const refusal = ConnectionRefused.in(error);
  if (refusal !== undefined) return failed(refusal.message);
  if (error instanceof APIConnectionError)
    return failed(`The provider of ${model} could not be reached`, true);
  if (error instanceof APIError) {
    const { status } = error as APIError;
    if (status !== undefined) return answered(status, model, error as APIError);
  }
  return failed(`The provider of ${model} sent an answer that could not be read`, true);
}

function mayBeAboutFormat(error: APIError): boolean {
  return (error.status === 400 || error.status === 422) && !isAboutLength(error);
}

/** Servers say it with a code or in words of their own; the words are looked at and go no further. */
function isAboutLength({ code, message }: APIError): boolean {
  return (
    code === 'context_length_exceeded' || /context (?:length|window|size)|prompt is too long/i.test(message)
  );
}

function failed(reason: string, retry = false, waitMs: number | null = null): Failure {
  return { error: new ProviderFailed(reason), retry, waitMs };
}

function answered(status: number, model: string, error: APIError): Failure {
  if (status === 429) return limited(model, error);
  if (RETRIED_STATUS.has(status)) {
    return failed(`The provider of ${model} failed (${status})`, true, waitAsked(error.headers));
  }
  if (status === 401 || status === 403) return failed(`The provider of ${model} refused the key (${status})`);
  if (status === 404) return failed(`The provider does not know the model ${model} (404)`);
  if (isAboutLength(error)) return failed(`The prompt is longer than ${model} reads: set its context window`);
  return failed(`The provider of ${model} refused the request (${status})`);
}

function limited(model: string, { headers, code }: APIError): Failure {
  const wait = waitAsked(headers);
  const seconds = wait === null ? 1 : Math.max(1, Math.ceil(wait / 1000));
  return {
    error: new TooManyRequests(`The provider of ${model} limits the rate of requests`, seconds),
    retry: code !== 'insufficient_quota',
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
