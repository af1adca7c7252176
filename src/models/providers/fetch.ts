import {
  Agent,
  fetch as undiciFetch,
  request,
  type Dispatcher,
  type RequestInfo,
  type RequestInit,
} from 'undici';

/** Signature of the fetch function that the client library calls. */
export type Fetch = (url: string | URL | Request, init?: globalThis.RequestInit) => Promise<Response>;

/**
 * Maximum size of a response in bytes. Every completion is smaller, and a response of this size still fits into memory.
 */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/**
 * Thrown if this module does not allow a connection or a response. The client library wraps it in a connection error of
 * its own.
 */
export class ConnectionRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConnectionRefused';
  }

  /** Returns the first ConnectionRefused among an error and its causes. */
  static in(error: unknown): ConnectionRefused | undefined {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      if (cause instanceof ConnectionRefused) return cause;
    }
    return undefined;
  }
}

// A model may take minutes to send its first byte, so only the deadline of the call limits the time.
export const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };

/** Connections to addresses that the operator configured. */
const trustedAgent = new Agent(NO_TIMEOUTS);

/** Fetch for addresses that the operator configured. */
export const trustedFetch = providerFetch(trustedAgent);

/**
 * Creates a fetch that uses a dispatcher and limits responses to `maxBytes`. The fetch does not follow redirects, so
 * that a key is sent only to the address to which it belongs.
 */
export function providerFetch(dispatcher: Dispatcher, maxBytes = MAX_RESPONSE_BYTES): Fetch {
  return async (url, init) => {
    // The cast is needed because undici and the global fetch have different types for the same objects.
    const options = { ...init, redirect: 'manual', dispatcher } as unknown as RequestInit;
    const response = (await undiciFetch(url as RequestInfo, options)) as unknown as Response;
    if (isRedirect(response.status)) {
      await response.body?.cancel();
      throw redirected();
    }
    return capped(response, maxBytes);
  };
}

/**
 * Creates a fetch that reads responses as a whole, for addresses that the operator configured. Does not use the web
 * streams of fetch, which take twice the processor time (docs/project/performance.md).
 */
export function wholeFetch(maxBytes: number): Fetch {
  return async (url, init = {}) => {
    const { statusCode, headers, body } = await request(url instanceof Request ? url.url : url, {
      method: init.method ?? 'GET',
      headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
      body: (init.body ?? null) as string | null,
      signal: init.signal ?? null,
      dispatcher: trustedAgent,
    });
    if (isRedirect(statusCode)) {
      await body.dump();
      throw redirected();
    }
    const content = await readUpTo(maxBytes, body);
    return new WholeResponse(statusCode, headers, content) as unknown as Response;
  };
}

/** A response with its body in memory. It has only the members of `Response` that the client library uses. */
class WholeResponse implements Pick<
  Response,
  'status' | 'ok' | 'headers' | 'body' | 'text' | 'json' | 'arrayBuffer'
> {
  readonly ok: boolean;
  readonly headers: Headers;
  readonly body = null;

  constructor(
    readonly status: number,
    headers: Dispatcher.ResponseData['headers'],
    private readonly content: Buffer,
  ) {
    this.ok = status >= 200 && status < 300;
    this.headers = new Headers();
    for (const [name, values = []] of Object.entries(headers))
      for (const value of [values].flat()) this.headers.append(name, value);
  }

  text(): Promise<string> {
    return Promise.resolve(this.content.toString());
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return Promise.resolve(new Uint8Array(this.content).buffer);
  }
}

/**
 * Reads a body.
 * @throws ConnectionRefused if the body exceeds `maxBytes`; TypeError, like fetch, if the body ends early
 */
async function readUpTo(maxBytes: number, body: Dispatcher.ResponseData['body']): Promise<Buffer> {
  const parts: Buffer[] = [];
  let read = 0;
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      read += part.byteLength;
      if (read > maxBytes) throw tooLong(maxBytes);
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof ConnectionRefused ? error : new TypeError('the body broke off', { cause: error });
  }
  return Buffer.concat(parts);
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

function redirected(): ConnectionRefused {
  return new ConnectionRefused('The provider sent a redirect, and redirects are not followed');
}

function tooLong(maxBytes: number): ConnectionRefused {
  return new ConnectionRefused(`The provider's response exceeds ${maxBytes} bytes`);
}

/**
 * Creates an agent that connects to one IP address, whatever the host name resolves to later. The agent does not keep
 * connections alive.
 */
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

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/**
 * Wraps a response so that reading its body fails beyond `maxBytes`. If Content-Length shows that the body is within
 * the limit, returns the response unchanged.
 */
function capped(response: Response, maxBytes: number): Response {
  const length = response.headers.get('content-length');
  const isEncoded = response.headers.has('content-encoding');
  if (response.body === null || (length !== null && !isEncoded && Number(length) <= maxBytes))
    return response;
  let read = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      read += chunk.byteLength;
      if (read > maxBytes) controller.error(tooLong(maxBytes));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}
