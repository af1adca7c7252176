import { Agent, fetch as undiciFetch, type Dispatcher, type RequestInfo, type RequestInit } from 'undici';

/** Signature of the fetch function that the client library calls. */
export type Fetch = (url: string | URL | Request, init?: globalThis.RequestInit) => Promise<Response>;

/** Maximum response size: above any completion, below the memory limit. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/** A refused connection. The client library wraps it as the cause of its own connection error. */
export class ConnectionRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConnectionRefused';
  }

  /** Finds the refusal among an error and its causes. */
  static in(error: unknown): ConnectionRefused | undefined {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      if (cause instanceof ConnectionRefused) return cause;
    }
    return undefined;
  }
}

// A model may take minutes until its first byte: only the deadline of the call limits it.
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };

/** Connections to the addresses configured by the operator. */
const trustedAgent = new Agent(NO_TIMEOUTS);

/** Fetch for the addresses configured by the operator. */
export const trustedFetch = providerFetch(trustedAgent);

/** Same as {@link trustedFetch} with another maximum response size. */
export function trustedFetchUpTo(maxBytes: number): Fetch {
  return providerFetch(trustedAgent, maxBytes);
}

/**
 * Creates a fetch over one dispatcher that follows no redirect (a key reaches only its own address) and limits responses
 * to `maxBytes`.
 */
export function providerFetch(dispatcher: Dispatcher, maxBytes = MAX_RESPONSE_BYTES): Fetch {
  return async (url, init) => {
    // undici and the global fetch have different type names for the same objects.
    const options = { ...init, redirect: 'manual', dispatcher } as unknown as RequestInit;
    const response = (await undiciFetch(url as RequestInfo, options)) as unknown as Response;
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new ConnectionRefused('The provider sent a redirect, and redirects are not followed');
    }
    return capped(response, maxBytes);
  };
}

/** Creates an agent that connects to one address, whatever the name resolves to now, without keep-alive. */
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

/** A resolved IP address. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Wraps a response so that its body fails beyond `maxBytes`. A longer Content-Length fails at once. */
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
        controller.error(new ConnectionRefused(`The provider's response exceeds ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}
