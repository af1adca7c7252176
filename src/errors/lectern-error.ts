/**
 * Base class of domain errors. The filter in `http/error.filter.ts` maps these errors to HTTP responses. `message` is
 * one sentence for the caller, without SQL, secrets or provider responses.
 */
export abstract class LecternError extends Error {
  abstract readonly status: number;
  readonly code: string | undefined;
  readonly param: string | undefined;
  readonly isLasting: boolean;
  readonly challenge: string | undefined;

  /** @param retryAfterSeconds value of the header `Retry-After`, which responses with 429 and 503 have */
  constructor(
    message: string,
    readonly retryAfterSeconds?: number,
    { code, param, isLasting = false, challenge, ...options }: LecternErrorOptions = {},
  ) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.param = param;
    this.isLasting = isLasting;
    this.challenge = challenge;
  }
}

export interface LecternErrorOptions extends ErrorOptions {
  /** Error code for clients of the OpenAI protocol, such as `model_not_found`. */
  readonly code?: string;
  /** Invalid field of the request, such as `model`. */
  readonly param?: string;
  /**
   * Whether retries fail until somebody changes the settings. The response then has the header `X-Should-Retry: false`.
   */
  readonly isLasting?: boolean;
  /** Value of the header `WWW-Authenticate`; a 401 without one has `Bearer`. */
  readonly challenge?: string;
}

export class BadRequest extends LecternError {
  readonly status = 400;
}

export class Unauthorized extends LecternError {
  readonly status = 401;
}

export class Forbidden extends LecternError {
  readonly status = 403;
}

export class NotFound extends LecternError {
  readonly status = 404;
}

export class MethodNotAllowed extends LecternError {
  readonly status = 405;

  constructor(
    readonly allowed: readonly string[],
    sentence = 'Method Not Allowed',
  ) {
    super(sentence);
  }
}

/** Thrown if the client sends its request too slowly. */
export class RequestTimeout extends LecternError {
  readonly status = 408;
}

export class Conflict extends LecternError {
  readonly status = 409;
}

/** Thrown if something was there and is not kept any longer. */
export class Gone extends LecternError {
  readonly status = 410;
}

export class PayloadTooLarge extends LecternError {
  readonly status = 413;
}

export class UnsupportedMediaType extends LecternError {
  readonly status = 415;
}

export class TooManyRequests extends LecternError {
  readonly status = 429;
}

/** Thrown if the quota of a tenant or a person for this day is used up. */
export class QuotaUsedUp extends TooManyRequests {}

/** Thrown if a model provider (LLM, embedder, reranker) failed or rejected the request. */
export class ProviderFailed extends LecternError {
  readonly status = 502;
}

/** Thrown if a dependency of this service is down. A retry may succeed. */
export class Unavailable extends LecternError {
  readonly status = 503;
}

export class DeadlineExceeded extends LecternError {
  readonly status = 504;
}

/**
 * Thrown if the service or a command cannot run as configured. `message` is one sentence for the operator, without
 * secrets.
 */
export class StartRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartRefused';
  }
}
