import type { ErrorDescription } from './describe-error.js';

/** Where the OpenAI protocol is spoken. */
const PROTOCOL_PATH = /^\/v1(?:[/?]|$)/;

export function isProtocolPath(url: string): boolean {
  return PROTOCOL_PATH.test(url);
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

/** An error as clients of the OpenAI protocol read it: they show `message` and choose their exception by the status. */
export interface OpenAiError {
  readonly message: string;
  readonly type: string;
  /** Where the first wrong value of a 422 stands, such as `metadata.k`. */
  readonly param: string | null;
  readonly code: string | number | null;
}

export function openAiError({ status, detail }: ErrorDescription): OpenAiError {
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  if (typeof detail === 'string') return { message: detail, type, param: null, code: status };
  const items = detail.map(({ loc, msg }) => ({ at: loc.slice(1).join('.'), msg }));
  return {
    message: items.map(({ at, msg }) => (at === '' ? msg : `${at}: ${msg}`)).join('; '),
    type,
    param: items[0]?.at ?? null,
    code: detail[0]?.type ?? null,
  };
}

/** Body of an error answer: `detail`, and under `/v1` also `error`. */
export function errorBody(url: string, description: ErrorDescription): object {
  const { detail } = description;
  return isProtocolPath(url) ? { detail, error: openAiError(description) } : { detail };
}
