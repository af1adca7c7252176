import { Agent, fetch as undiciFetch, type Dispatcher, type RequestInfo, type RequestInit } from 'undici';
import { ConnectionRefused } from './connection-refused.js';
import { capped } from './capped-response.js';

/** What the client library calls to reach a provider. */
export type Fetch = (url: string | URL | Request, init?: globalThis.RequestInit) => Promise<Response>;

/** Largest answer that is read: far beyond any completion, far below memory. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/**
 * A fetch over one dispatcher that follows no redirect (a key goes to its own address only) and reads no more than
 * 32 MiB of an answer.
 */
export function providerFetch(dispatcher: Dispatcher): Fetch {
  return async (url, init) => {
    // The types of undici and of the global fetch describe the same objects under different names.
    const options = { ...init, redirect: 'manual', dispatcher } as unknown as RequestInit;
    const response = (await undiciFetch(url as RequestInfo, options)) as unknown as Response;
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new ConnectionRefused('The provider answers with a redirect, and redirects are not followed');
    }
    return capped(response, MAX_RESPONSE_BYTES);
  };
}

/** Connections to the addresses the operator configured; shared by all requests. */
export function trustedAgent(): Agent {
  // A model may think for minutes before its first byte: the deadline of the call is the limit.
  return new Agent({ headersTimeout: 0, bodyTimeout: 0 });
}
