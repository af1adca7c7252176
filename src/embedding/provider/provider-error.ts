import { type LecternError, ProviderFailed, TooManyRequests } from '../../errors/index.js';
import { TransientFailure } from './retry.js';

/** The provider does not take this request (400, 413, 422); the same call to a server of another kind may do. */
export class RequestRefused extends ProviderFailed {}

/** What is known about an answer that was not 2xx. Neither its body nor the key ever gets into an error. */
export interface Refusal {
  /** Who answered, in words: "The embedding provider". */
  readonly provider: string;
  readonly model: string;
  readonly status: number;
  readonly headers: Headers | undefined;
  /** The provider's own short code, such as `insufficient_quota`. */
  readonly code?: string | null | undefined;
}

const QUOTA_CODES = new Set(['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active']);

/** The error of the family that says what a caller or operator can do about a refused call. */
export function refused({ provider, model, status, headers, code }: Refusal): LecternError {
  if (code && QUOTA_CODES.has(code))
    return new ProviderFailed(`${provider} reports that its quota is used up`);
  if (status === 429) return new TooManyRequests(`${provider} limits the rate of calls`, retryAfter(headers));
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    return new TransientFailure(`${provider} failed with status ${status}`, retryAfter(headers));
  }
  if (status === 401 || status === 403) return new ProviderFailed(`${provider} refused the API key`);
  if (status === 404) {
    return new ProviderFailed(`${provider} does not know the model "${model}", or its address is wrong`);
  }
  return new RequestRefused(`${provider} refused the request with status ${status}${reason(code)}`);
}

/** A code is a word of the provider's vocabulary; anything else might repeat the request. */
function reason(code: string | null | undefined): string {
  return code && /^[a-z_]{1,60}$/.test(code) ? ` (${code})` : '';
}

/** Seconds, from `Retry-After-Ms`, or `Retry-After` as a number or a date (RFC 9110, section 10.2.3). */
function retryAfter(headers: Headers | undefined): number | undefined {
  const ms = Number(headers?.get('retry-after-ms') ?? NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms / 1_000;
  const value = headers?.get('retry-after');
  if (!value) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1_000);
}
