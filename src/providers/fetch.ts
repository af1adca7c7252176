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
export const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };

/** Connections to the addresses configured by the operator. */
const trustedAgent = new Agent(NO_TIMEOUTS);

/** Fetch for the addresses configured by the operator. */
export const trustedFetch = providerFetch(trustedAgent);

/**
 * Creates a fetch over one dispatcher that follows no redirect (a key reaches only its own address) and limits responses
 * to `maxBytes`.
 */
export function providerFetch(dispatcher: Dispatcher, maxBytes = MAX_RESPONSE_BYTES): Fetch {
  return async (url, init) => {
    // undici and the global fetch have different type names for the same objects.
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
 * Fetch for the addresses configured by the operator, for responses that are read as a whole. It reads them without the
 * web streams of fetch, which double its processor time (docs/project/performance.md).
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

/** The members of a `Response` that the client library uses, over a body in memory. */
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

/** @throws ConnectionRefused beyond `maxBytes`; TypeError, like fetch, when the body breaks off */
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
      if (read > maxBytes) controller.error(tooLong(maxBytes));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}
