import type { IncomingHttpHeaders } from 'node:http';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A response instead of vectors. */
export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** The body, sent unchanged. */
  readonly text?: string;
  /** Which part of the response is never sent. */
  readonly never?: 'headers' | 'body';
}

export interface FakeEmbeddings {
  /** Base address, with `/v1`. */
  readonly url: string;
  /** The latest thousand requests, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

export function startFakeEmbeddings(options?: {
  readonly port?: number;
  readonly dimensions?: number;
  /** Minimum duration of a response in milliseconds. */
  readonly delayMs?: number;
  /** Default: `fakeVector`. */
  readonly vectorOf?: (text: string) => readonly number[];
  /** Returns a response to send instead of vectors; undefined: vectors are sent. */
  readonly answer?: (request: ReceivedRequest) => FakeAnswer | undefined;
}): Promise<FakeEmbeddings>;

export function fakeVector(text: string, dimensions: number): number[];
