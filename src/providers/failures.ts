import { APIConnectionError, APIError } from 'openai';
import { LecternError, ProviderFailed, TooManyRequests } from '../errors/index.js';
import type { ModelKind } from '../telemetry/metrics.js';
import { ConnectionRefused } from './fetch.js';

/** The provider was unreachable or failed. A retry may succeed. */
export class TransientFailure extends ProviderFailed {
  /** @param waitMs delay in milliseconds that the provider requested */
  constructor(
    message: string,
    readonly waitMs: number | null = null,
  ) {
    super(message);
  }
}

/** The provider limits the call rate. */
export class RateLimited extends TooManyRequests {
  /** @param waitMs delay in milliseconds that the provider requested */
  constructor(
    message: string,
    readonly waitMs: number | null = null,
  ) {
    super(message, Math.max(1, Math.ceil((waitMs ?? 0) / 1_000)));
  }
}

/** The provider returned an unexpected response. */
export class UnusableAnswer extends ProviderFailed {}

/** The provider rejects this request. It may accept another form of it, and so may another server. */
export class RequestRefused extends ProviderFailed {
  /**
   * @param answered HTTP status of the provider
   * @param isTooLong whether the text exceeds the context window of the model
   */
  constructor(
    message: string,
    readonly answered: number,
    readonly isTooLong: boolean,
  ) {
    super(message);
  }
}

/** The called provider, for its error messages. */
export interface CalledProvider {
  readonly kind: ModelKind;
  /** Name at the start of a sentence: "The embedding provider". */
  readonly label: string;
  readonly model: string;
  /** Key to remove from messages of the provider. */
  readonly apiKey: string | null;
  /** Whether messages of the provider may be logged. */
  readonly logsMessages: boolean;
}

/**
 * Translates an error of a provider call into a domain error with a neutral message: a message of the provider may repeat
 * the request or the key. It becomes the cause when it may be logged.
 */
export function failureOf(error: unknown, provider: CalledProvider): LecternError {
  if (error instanceof LecternError) return error;
  const failure = classified(error, provider);
  failure.cause = loggedCause(error, provider);
  return failure;
}

function classified(error: unknown, provider: CalledProvider): LecternError {
  const { label } = provider;
  const refusal = ConnectionRefused.in(error);
  if (refusal !== undefined) return new ProviderFailed(refusal.message);
  if (error instanceof APIConnectionError) return new TransientFailure(`${label} could not be reached`);
  if (error instanceof APIError && (error as APIError).status !== undefined) {
    return answered(error as APIError<number, Headers>, provider);
  }
  // fetch errors while reading a body may come from another realm, so they are recognised by name.
  const name = error instanceof Object && 'name' in error ? error.name : undefined;
  if (name === 'TypeError') return new TransientFailure(`${label} sent an incomplete response`);
  return new UnusableAnswer(`${label} sent an unreadable response`);
}

/**
 * Returns the items of a list in the order of the inputs: providers disagree about the order, and some return fewer. An
 * item without an index has its position as index.
 * @param label name at the start of a sentence
 * @throws UnusableAnswer unless there are `count` items with distinct indexes.
 */
export function itemsInOrder(
  list: unknown,
  count: number,
  label: string,
): readonly Readonly<Record<string, unknown>>[] {
  const given: readonly unknown[] = Array.isArray(list) ? list : [];
  const items = given.map((item) => (item ?? {}) as Readonly<Record<string, unknown>>);
  const places = new Map(items.map(({ index }, place) => [typeof index === 'number' ? index : place, place]));
  return Array.from({ length: count }, (_, index) => {
    const item = given.length === count ? items[places.get(index) ?? -1] : undefined;
    if (item === undefined) throw new UnusableAnswer(`${label} returned a different number of items`);
    return item;
  });
}

const QUOTA_CODES = ['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active'];
const TRANSIENT_STATUS = [408, 409, 425];

function answered(error: APIError<number, Headers>, { label, model }: CalledProvider): LecternError {
  const { status, headers, code } = error;
  if (QUOTA_CODES.includes(code ?? '')) return lasting(`${label} reports that its quota is used up`);
  if (status === 429) return new RateLimited(`${label} limits the rate of requests`, requestedDelay(headers));
  if (status >= 500 || TRANSIENT_STATUS.includes(status)) {
    return new TransientFailure(`${label} failed (${status})`, requestedDelay(headers));
  }
  if (status === 401 || status === 403) return lasting(`${label} refused the key (${status})`);
  if (status === 404) {
    return lasting(`${label} does not know the model ${model}, or its address is wrong (404)`);
  }
  const reason = [status, ...vocabulary(code)].join(', ');
  return new RequestRefused(`${label} refused the request (${reason})`, status, isTooLong(error));
}

/** A failure that only a change of the settings or of the account ends. */
function lasting(message: string): ProviderFailed {
  return new ProviderFailed(message, undefined, { isLasting: true });
}

/** Keeps an error code only if it looks like a code: other text might repeat the request. */
function vocabulary(code: string | null | undefined): string[] {
  return code && /^[a-z_]{1,60}$/.test(code) ? [code] : [];
}

/** Recognises an exceeded context window by code or by message. The message itself is not passed on. */
function isTooLong({ code, message }: APIError): boolean {
  return (
    code === 'context_length_exceeded' || /context (?:length|window|size)|prompt is too long/i.test(message)
  );
}

/**
 * Returns the delay in milliseconds that a provider requests: `Retry-After` in seconds or as a date (RFC 9110, section
 * 10.2.3), or the non-standard `retry-after-ms`; null for none.
 */
export function requestedDelay(headers: Headers | undefined): number | null {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? NaN);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  const raw = headers?.get('retry-after')?.trim() ?? '';
  const wait = /^\d+(\.\d+)?$/.test(raw) ? Number(raw) * 1_000 : Date.parse(raw) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}

const MAX_WORDS_LENGTH = 300;
/** A shorter secret cannot be told apart from ordinary words. */
const MIN_SECRET_LENGTH = 8;

/** Builds the cause for the log: error kinds, and the message without the key if allowed. */
function loggedCause(error: unknown, { apiKey, logsMessages }: CalledProvider): Error {
  const chain = causesOf(error);
  const kinds = chain.map(kindOf).join(' < ');
  if (!logsMessages || (apiKey !== null && apiKey.length < MIN_SECRET_LENGTH)) return new Error(kinds);
  const words = chain.map(({ message }) => message).join(' < ');
  const safe = apiKey === null ? words : words.replaceAll(apiKey, '[key]');
  return new Error(`${kinds}: ${safe.slice(0, MAX_WORDS_LENGTH)}`);
}

function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let cause = error; cause instanceof Error && chain.length < 5; cause = cause.cause) chain.push(cause);
  return chain;
}

/** Returns class and system code (`ECONNREFUSED`). Codes of a provider count as message text. */
function kindOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  const isSystemCode = typeof code === 'string' && 'errno' in error;
  return isSystemCode ? `${error.constructor.name} ${code}` : error.constructor.name;
}
