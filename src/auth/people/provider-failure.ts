import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { Unavailable } from '../../errors/index.js';
import { UnusableClaims } from './identity.js';

/** Codes of openid-client for a provider that does not answer, or whose answer is none of the protocol. */
const UNREACHABLE = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
];

const LATER = ['server_error', 'temporarily_unavailable'];

/**
 * Tells what an error of a call to the identity provider means: the provider refuses the person or the answer, or it
 * cannot be reached.
 * @returns null for an error of something else
 */
export function failureOf(error: unknown): 'refused' | 'unreachable' | null {
  if (error instanceof UnusableClaims) return 'refused';
  if (error instanceof AuthorizationResponseError)
    return LATER.includes(error.error) ? 'unreachable' : 'refused';
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) {
    return error.status < 500 && error.status !== 429 ? 'refused' : 'unreachable';
  }
  if (error instanceof ClientError) return UNREACHABLE.includes(error.code ?? '') ? 'unreachable' : 'refused';
  if (error instanceof Unavailable) return 'unreachable';
  return error instanceof TypeError && error.message === 'fetch failed' ? 'unreachable' : null;
}

/**
 * Tells whether a refusal is about the person: the account or what it granted is gone, or its claims cannot be used. A
 * provider that refuses this service, for example because of a wrong secret, says nothing of the person.
 */
export function isAboutPerson(error: unknown): boolean {
  if (error instanceof UnusableClaims) return true;
  if (error instanceof WWWAuthenticateChallengeError) return error.status === 401;
  return error instanceof ResponseBodyError && error.error === 'invalid_grant';
}
