import { APIConnectionError, APIError } from 'openai';
import { LecternError, ProviderFailed, TooManyRequests } from '../../errors/index.js';
import type { ModelKind } from '../../telemetry/metrics.js';
import { ConnectionRefused } from './fetch.js';

/** Thrown if the provider was unreachable or failed. A retry may succeed. */
export class TransientFailure extends ProviderFailed {
  /** @param waitMs delay in milliseconds that the provider requested */
  constructor(
    message: string,
    readonly waitMs: number | null = null,
  ) {
    super(message);
  }
}

/** Thrown if the provider rejects a call because of its rate limit. */
export class RateLimited extends TooManyRequests {
  /** @param waitMs delay in milliseconds that the provider requested */
  constructor(
    message: string,
    readonly waitMs: number | null = null,
  ) {
    super(message, Math.max(1, Math.ceil((waitMs ?? 0) / 1_000)));
  }
}

/** Thrown if the provider returned an unexpected response. */
export class UnusableAnswer extends ProviderFailed {}

/**
 * Thrown if the provider rejected this request. The provider may accept the request in another form, and another server
 * may accept the same request.
 */
export class RequestRefused extends ProviderFailed {
  /**
   * @param answered HTTP status of the provider's response
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

/** What the error messages of a call need to know about its provider. */
export interface CalledProvider {
  readonly kind: ModelKind;
  /** Subject of a sentence, such as "The embedding provider". */
  readonly label: string;
  readonly model: string;
  /** Key that is removed from messages of the provider. */
  readonly apiKey: string | null;
  readonly logsMessages: boolean;
}

/**
 * Converts an error of a provider call to a domain error. The message of the domain error is neutral, because a message
 * of the provider may repeat the request or the key. If messages of the provider may be logged, its message becomes
 * part of the cause.
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
  // Recognises errors of fetch by name. `instanceof` is not enough, because errors that occur while a body is read may
  // come from another realm.
  const name = error instanceof Object && 'name' in error ? error.name : undefined;
  if (name === 'TypeError') return new TransientFailure(`${label} sent an incomplete response`);
  return new UnusableAnswer(`${label} sent an unreadable response`);
}

/**
 * Returns the items of a list in the order of the inputs, because providers return items in different orders. For an
 * item without an index, its position in the list is its index.
 * @param label name of the provider; the error message begins with it
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

/** Returns a failure that lasts until the settings or the account at the provider are changed. */
function lasting(message: string): ProviderFailed {
  return new ProviderFailed(message, undefined, { isLasting: true });
}

/** Keeps an error code only if it has the form of an error code, because other text might repeat the request. */
function vocabulary(code: string | null | undefined): string[] {
  return code && /^[a-z_]{1,60}$/.test(code) ? [code] : [];
}

/** Tells by the code or the message of an error whether the request exceeds the context window. */
function isTooLong({ code, message }: APIError): boolean {
  return (
    code === 'context_length_exceeded' || /context (?:length|window|size)|prompt is too long/i.test(message)
  );
}

/**
 * Returns the delay in milliseconds that a provider requests, or null if it requests none. Reads `Retry-After` in
 * seconds or as a date (RFC 9110, section 10.2.3), and the non-standard `retry-after-ms`.
 */
export function requestedDelay(headers: Headers | undefined): number | null {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? NaN);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  const raw = headers?.get('retry-after')?.trim() ?? '';
  const wait = /^\d+(\.\d+)?$/.test(raw) ? Number(raw) * 1_000 : Date.parse(raw) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}

const MAX_WORDS_LENGTH = 300;
/**
 * If the key is shorter, messages of the provider are not logged. A short key may be part of ordinary words, so it
 * cannot be removed reliably.
 */
const MIN_SECRET_LENGTH = 8;

/**
 * Builds the cause for the log. It contains the kinds of the errors and, if messages may be logged, the message without
 * the key.
 */
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

/**
 * Returns the class of an error, and its system code such as `ECONNREFUSED`. Omits a code from a provider, because such
 * a code is treated like a message.
 */
function kindOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  const isSystemCode = typeof code === 'string' && 'errno' in error;
  return isSystemCode ? `${error.constructor.name} ${code}` : error.constructor.name;
}
