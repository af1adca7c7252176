import type { InvalidItem, InvalidType } from '../errors/index.js';
import type { ErrorDescription } from './describe-error.js';
import { isProtocolPath } from './protocol-path.js';

/** Error body of the OpenAI protocol. Clients choose the exception by the HTTP status, and show the user `message`. */
export interface OpenAiError {
  readonly message: string;
  readonly type: string;
  /** The path of the invalid field, such as `metadata.k`. */
  readonly param: string | null;
  readonly code: string | null;
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

const CODES: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  429: 'rate_limit_exceeded',
};

const INPUT_CODES: Readonly<Record<InvalidType, string>> = {
  missing: 'missing_required_parameter',
  extra_forbidden: 'unknown_parameter',
  json_invalid: 'invalid_json',
  string_type: 'invalid_type',
  int_type: 'invalid_type',
  bool_type: 'invalid_type',
  float_type: 'invalid_type',
  list_type: 'invalid_type',
  dict_type: 'invalid_type',
  string_too_short: 'invalid_value',
  greater_than: 'invalid_value',
  greater_than_equal: 'invalid_value',
  less_than_equal: 'invalid_value',
  enum: 'invalid_value',
  value_error: 'invalid_value',
};

export function openAiError({ status, detail, code, param }: ErrorDescription): OpenAiError {
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  if (typeof detail === 'string')
    return { message: detail, type, param: param ?? null, code: code ?? CODES[status] ?? null };
  const [first] = detail;
  return {
    message: detail.map(sentenceOf).join('; '),
    type,
    param: first === undefined ? null : fieldOf(first),
    code: first === undefined ? null : INPUT_CODES[first.type],
  };
}

function sentenceOf(item: InvalidItem): string {
  const field = fieldOf(item);
  return field === null ? item.msg : `${field}: ${item.msg}`;
}

/**
 * Returns the path of the invalid field. Returns null if the error belongs to no field, as in malformed JSON, where
 * `loc` is a position.
 */
function fieldOf({ loc, type }: InvalidItem): string | null {
  return loc.length < 2 || type === 'json_invalid' ? null : loc.slice(1).join('.');
}

/**
 * Returns the status and body of an error response. Under `/v1`, the body has `error` in addition to `detail`, and
 * invalid input is a 400 instead of a 422. Applications catch `BadRequestError`, which clients of the protocol raise
 * only for a 400. If the error has a code of the protocol, the body has `error` on every path, because the base URL of
 * the client may lack `/v1`.
 */
export function errorAnswer(url: string, description: ErrorDescription): { status: number; body: object } {
  const { status, detail, code } = description;
  if (!isProtocolPath(url) && code === undefined) return { status, body: { detail } };
  return { status: status === 422 ? 400 : status, body: { detail, error: openAiError(description) } };
}
