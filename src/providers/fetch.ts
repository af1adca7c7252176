import { Agent, fetch as undiciFetch, type Dispatcher, type RequestInfo, type RequestInit } from 'undici';

/** What the client library calls to reach a provider. */
export type Fetch = (url: string | URL | Request, init?: globalThis.RequestInit) => Promise<Response>;

/** Largest answer that is read: far beyond any completion, far below memory. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/** An address that this service does not connect to; found again in the cause of a library's connection error. */
export class ConnectionRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConnectionRefused';
  }

  /** The refusal among `error` and its causes. */
  static in(error: unknown): ConnectionRefused | undefined {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      if (cause instanceof ConnectionRefused) return cause;
    }
    return undefined;
  }
}

// A model may think for minutes before its first byte: the deadline of the call is the limit.
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };

/** Connections to the addresses that the operator configured. */
const trustedAgent = new Agent(NO_TIMEOUTS);

/** A fetch for the addresses that the operator configured. */
export const trustedFetch = providerFetch(trustedAgent);

/** As {@link trustedFetch}, for answers of another size. */
export function trustedFetchUpTo(maxBytes: number): Fetch {
  return providerFetch(trustedAgent, maxBytes);
}

/**
 * A fetch over one dispatcher that follows no redirect (a key goes to its own address only) and reads no more than
 * `maxBytes` of an answer.
 */
export function providerFetch(dispatcher: Dispatcher, maxBytes = MAX_RESPONSE_BYTES): Fetch {
  return async (url, init) => {
    // The types of undici and of the global fetch describe the same objects under different names.
    const options = { ...init, redirect: 'manual', dispatcher } as unknown as RequestInit;
    const response = (await undiciFetch(url as RequestInfo, options)) as unknown as Response;
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new ConnectionRefused('The provider answers with a redirect, and redirects are not followed');
    }
    return capped(response, maxBytes);
  };
}

/** An agent that connects to one address whatever the name says by now, and keeps no connection. */
export function pinnedAgent({ address, family }: ResolvedAddress): Agent {
  return new Agent({
    ...NO_TIMEOUTS,
    pipelining: 0,
    connect: {
      lookup: (_hostname, options, callback) => {
        if (options.all) callback(null, [{ address, family }]);
        else callback(null, address, family);
      },
    },
  });
}

/** An IP address that a name stands for. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** The response with a body that fails once it is longer than `maxBytes`; one that says its length is no longer than that. */
function capped(response: Response, maxBytes: number): Response {
  const length = response.headers.get('content-length');
  const isEncoded = response.headers.has('content-encoding');
  if (response.body === null || (length !== null && !isEncoded && Number(length) <= maxBytes))
    return response;
  let read = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      read += chunk.byteLength;
      if (read > maxBytes)
        controller.error(new ConnectionRefused(`The provider's answer is longer than ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}
