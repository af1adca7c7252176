import { APIConnectionError, APIError } from 'openai';
import { LecternError, ProviderFailed, TooManyRequests } from '../errors/index.js';
import type { ModelKind } from '../telemetry/metrics.js';
import { ConnectionRefused } from './fetch.js';

/** The provider was unreachable or failed: the same call may succeed a moment later. */
export class TransientFailure extends ProviderFailed {
  /** @param waitMs milliseconds that the provider asked to wait. */
  constructor(
    message: string,
    readonly waitMs: number | null = null,
  ) {
    super(message);
  }
}

/** The provider limits the rate of calls. */
export class RateLimited extends TooManyRequests {
  /** @param waitMs milliseconds that the provider asked to wait. */
  constructor(
    message: string,
    readonly waitMs: number | null = null,
  ) {
    super(message, Math.max(1, Math.ceil((waitMs ?? 0) / 1_000)));
  }
}

/** The provider answered something else than it was asked for. */
export class UnusableAnswer extends ProviderFailed {}

/** The provider does not take this request; another form of it, or another server, may be taken. */
export class RequestRefused extends ProviderFailed {
  /**
   * @param answered its HTTP status.
   * @param isTooLong whether the text is longer than the model reads.
   */
  constructor(
    message: string,
    readonly answered: number,
    readonly isTooLong: boolean,
  ) {
    super(message);
  }
}

/** Who was asked. */
export interface Asked {
  readonly kind: ModelKind;
  /** In words, at the start of a sentence: "The embedding provider". */
  readonly who: string;
  readonly model: string;
  /** The key that its words may repeat. */
  readonly apiKey: string | null;
  /** Whether what it says of a failure may stand in the log. */
  readonly logsWords: boolean;
}

/**
 * The error of the family for what a call to a provider threw. The message is ours: a provider's own words may repeat
 * the request or the key. They are the error's cause where they may stand in the log.
 */
export function failureOf(error: unknown, asked: Asked): LecternError {
  if (error instanceof LecternError) return error;
  const failure = classified(error, asked);
  failure.cause = loggedCause(error, asked);
  return failure;
}

function classified(error: unknown, asked: Asked): LecternError {
  const { who } = asked;
  const refusal = ConnectionRefused.in(error);
  if (refusal !== undefined) return new ProviderFailed(refusal.message);
  if (error instanceof APIConnectionError) return new TransientFailure(`${who} could not be reached`);
  if (error instanceof APIError && (error as APIError).status !== undefined) {
    return answered(error as APIError<number, Headers>, asked);
  }
  // What `fetch` throws while it reads a body, told by name: it may come from another realm.
  const name = error instanceof Object && 'name' in error ? error.name : undefined;
  if (name === 'TypeError')
    return new TransientFailure(`${who} sent an answer that could not be read to its end`);
  return new UnusableAnswer(`${who} sent an answer that could not be read`);
}

/**
 * The items of a list in the order of what was sent: providers disagree about the order, and some answer less. An item
 * without an index has that of its place.
 * @param who was asked, at the start of a sentence
 * @throws UnusableAnswer when there are not `count` of them with an index each.
 */
export function itemsInOrder(
  list: unknown,
  count: number,
  who: string,
): readonly Readonly<Record<string, unknown>>[] {
  const given: readonly unknown[] = Array.isArray(list) ? list : [];
  const items = given.map((item) => (item ?? {}) as Readonly<Record<string, unknown>>);
  const places = new Map(items.map(({ index }, place) => [typeof index === 'number' ? index : place, place]));
  return Array.from({ length: count }, (_, index) => {
    const item = given.length === count ? items[places.get(index) ?? -1] : undefined;
    if (item === undefined) throw new UnusableAnswer(`${who} answered another number of items`);
    return item;
  });
}

const QUOTA_CODES = ['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active'];
const TRANSIENT_STATUS = [408, 409, 425];

function answered(error: APIError<number, Headers>, { who, model }: Asked): LecternError {
  const { status, headers, code } = error;
  if (QUOTA_CODES.includes(code ?? '')) return new ProviderFailed(`${who} reports that its quota is used up`);
  if (status === 429) return new RateLimited(`${who} limits the rate of requests`, waitAsked(headers));
  if (status >= 500 || TRANSIENT_STATUS.includes(status)) {
    return new TransientFailure(`${who} failed (${status})`, waitAsked(headers));
  }
  if (status === 401 || status === 403) return new ProviderFailed(`${who} refused the key (${status})`);
  if (status === 404) {
    return new ProviderFailed(`${who} does not know the model ${model}, or its address is wrong (404)`);
  }
  const reason = [status, ...vocabulary(code)].join(', ');
  return new RequestRefused(`${who} refused the request (${reason})`, status, isTooLong(error));
}

/** A code is a word of the provider's vocabulary; anything else might repeat the request. */
function vocabulary(code: string | null | undefined): string[] {
  return code && /^[a-z_]{1,60}$/.test(code) ? [code] : [];
}

/** Servers say it with a code or in words of their own; the words are looked at and go no further. */
function isTooLong({ code, message }: APIError): boolean {
  return (
    code === 'context_length_exceeded' || /context (?:length|window|size)|prompt is too long/i.test(message)
  );
}

/**
 * The wait that a provider asks for, in milliseconds: `Retry-After` in seconds or as a date (RFC 9110, section
 * 10.2.3), or the `retry-after-ms` of some; null when it asks for none.
 */
export function waitAsked(headers: Headers | undefined): number | null {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? NaN);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  const raw = headers?.get('retry-after')?.trim() ?? '';
  const wait = /^\d+(\.\d+)?$/.test(raw) ? Number(raw) * 1_000 : Date.parse(raw) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}

const MAX_WORDS_LENGTH = 300;
/** A shorter secret cannot be told from ordinary words. */
const MIN_SECRET_LENGTH = 8;

/** What a log may hold of a failed call: kinds of errors, and words without the key where they are allowed. */
function loggedCause(error: unknown, { apiKey, logsWords }: Asked): Error {
  const chain = causesOf(error);
  const kinds = chain.map(kindOf).join(' < ');
  if (!logsWords || (apiKey !== null && apiKey.length < MIN_SECRET_LENGTH)) return new Error(kinds);
  const words = chain.map(({ message }) => message).join(' < ');
  const safe = apiKey === null ? words : words.replaceAll(apiKey, '[key]');
  return new Error(`${kinds}: ${safe.slice(0, MAX_WORDS_LENGTH)}`);
}

function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let cause = error; cause instanceof Error && chain.length < 5; cause = cause.cause) chain.push(cause);
  return chain;
}

/** Class and system code (`ECONNREFUSED`); codes that a provider chose are its words. */
function kindOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  const isSystemCode = typeof code === 'string' && 'errno' in error;
  return isSystemCode ? `${error.constructor.name} ${code}` : error.constructor.name;
}
