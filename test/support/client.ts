export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parses the body as JSON. @throws SyntaxError if it is not JSON. */
  json(): unknown;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** The request body. Bytes, forms and text are sent as they are, every other value as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Calls a service, with or without a key. */
export class Client {
  constructor(
    private readonly base: string,
    private readonly key: string | null,
  ) {}

  get(path: string, options: CallOptions = {}): Promise<Answer> {
    return this.call('GET', path, options);
  }

  post(path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.call('POST', path, { ...options, body });
  }

  put(path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.call('PUT', path, { ...options, body });
  }

  delete(path: string, options: CallOptions = {}): Promise<Answer> {
    return this.call('DELETE', path, options);
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    return answerOf(await this.fetch(method, path, options));
  }

  /** Returns the raw response, for streams. */
  fetch(method: string, path: string, { headers = {}, body, signal }: CallOptions = {}): Promise<Response> {
    const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
    return fetch(`${this.base}${path}`, {
      method,
      headers: {
        ...(this.key === null ? {} : { authorization: `Bearer ${this.key}` }),
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: raw ? (body as NonNullable<RequestInit['body']>) : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }
}

/** Reads the body of a response. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: () => JSON.parse(text) as unknown,
  };
}
