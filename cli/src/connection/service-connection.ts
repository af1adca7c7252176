import { setTimeout as pause } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import pRetry, { AbortError } from 'p-retry';
import type { ServiceAddress } from './service-address.js';

/** What the service says against a request. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The service may take the request later. */
export class TryLater extends Error {
  constructor(
    message: string,
    readonly seconds: number | null,
  ) {
    super(message);
  }
}

export interface Answer {
  /** The parsed JSON; null for an empty body. */
  readonly body: unknown;
  /** From the request to the end of its answer, of the try that succeeded. */
  readonly ms: number;
}

type Content = { readonly body: string | FormData; readonly type?: string } | undefined;

/** Answers that a later try may change: too many requests, and what a restart or a proxy in front gives. */
const PASSING = new Set([429, 502, 503, 504]);
const TRIES = 8;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;

/** The REST API of a service for the commands. Requests that fail for a passing reason are sent again. */
export class ServiceConnection {
  /** @param signal ends requests and the waits between their tries; they fail with its reason */
  constructor(
    private readonly address: ServiceAddress,
    private readonly signal: AbortSignal | null = null,
  ) {}

  /**
   * @param mend what helps
   * @throws Error when nothing that could be the service answers.
   */
  async reach(
    mend = 'Start it with `lectern serve`, or name another one with --url or LECTERN_URL',
  ): Promise<void> {
    const { url } = this.address;
    try {
      const response = await fetch(`${url}/ping`);
      await response.arrayBuffer();
      if (response.ok) return;
      throw new Error(`it answers ${response.status}`);
    } catch (error) {
      const { message, cause } = error as Error & { readonly cause?: { code?: string; message: string } };
      throw new Error(
        `Cannot reach the service at ${url} (${cause?.code ?? cause?.message ?? message}). ${mend}.`,
        {
          cause: error,
        },
      );
    }
  }

  /** The `data` of each event that the answer to a POST streams. @throws Refused when there is no stream */
  async *stream(path: string, body: object): AsyncGenerator<string, void, undefined> {
    const response = await this.request('POST', path, {
      body: JSON.stringify(body),
      type: 'application/json',
    });
    if (!response.ok || response.body === null) {
      throw this.refusal(response.status, detailOf(await response.text()));
    }
    const events = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream());
    for await (const { data } of events) yield data;
  }

  async post(path: string, body: object): Promise<Answer> {
    const content = { body: JSON.stringify(body), type: 'application/json' };
    return this.send('POST', path, () => Promise.resolve(content));
  }

  /**
   * @param content made anew for every try
   * @param already asked before every try but the first: the answer when the work is done, else null
   * @throws Refused for what no later try changes
   */
  async send(
    method: string,
    path: string,
    content: () => Promise<Content>,
    already: () => Promise<unknown> = () => Promise.resolve(null),
  ): Promise<Answer> {
    const attempt = async (number: number): Promise<Answer> => {
      const done = number === 1 ? null : await already();
      return done === null ? this.try(method, path, await content()) : { body: done, ms: 0 };
    };
    const { signal } = this;
    return pRetry(attempt, {
      retries: TRIES - 1,
      minTimeout: FIRST_WAIT_MS,
      maxTimeout: MAX_WAIT_MS,
      randomize: true,
      shouldRetry: ({ error }) => error instanceof TryLater || error instanceof TypeError, // the latter by fetch
      onFailedAttempt: async ({ error, retriesLeft }) => {
        if (retriesLeft > 0 && error instanceof TryLater && error.seconds !== null) {
          const waiting = pause(error.seconds * 1_000, undefined, signal === null ? {} : { signal });
          await waiting.catch(() => signal?.throwIfAborted()); // with the reason of the signal
        }
      },
      ...(signal === null ? {} : { signal }),
    });
  }

  private async try(method: string, path: string, content: Content): Promise<Answer> {
    const begun = performance.now();
    const answer = await this.readAnswer(await this.request(method, path, content));
    return { body: answer, ms: performance.now() - begun };
  }

  private request(method: string, path: string, content: Content): Promise<Response> {
    const { body, type } = content ?? {};
    return fetch(this.address.url + path, {
      method,
      headers: {
        ...(this.address.key === undefined ? {} : { authorization: `Bearer ${this.address.key}` }),
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      ...(body === undefined ? {} : { body }),
      signal: this.signal,
    });
  }

  /** @throws TryLater for what may pass; AbortError around Refused for everything else that is no success. */
  private async readAnswer(response: Response): Promise<unknown> {
    const text = await response.text();
    if (response.ok) return text === '' ? null : JSON.parse(text);
    const refusal = this.refusal(response.status, detailOf(text));
    if (PASSING.has(response.status)) {
      throw new TryLater(refusal.message, secondsOf(response.headers.get('retry-after')));
    }
    throw new AbortError(refusal);
  }

  /** A key that is missing, wrong or lacks a scope is mended here, not at the service. */
  private refusal(status: number, detail: string): Refused {
    const origin = status === 401 || status === 403 ? ` (${this.address.keyOrigin})` : '';
    return new Refused(status, `${status}: ${detail}${origin}`);
  }
}

function secondsOf(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) : null;
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    if (typeof detail === 'string') return detail;
    if (Array.isArray(detail)) {
      return detail
        .map(({ loc, msg }: { loc: readonly unknown[]; msg: string }) => `${loc.join('.')}: ${msg}`)
        .join('; ');
    }
  } catch {
    // Not from the service but from something before it.
  }
  return text.slice(0, 200);
}
