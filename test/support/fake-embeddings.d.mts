import type { IncomingHttpHeaders } from 'node:http';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What to answer instead of vectors. */
export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** A body as it is. */
  readonly text?: string;
  /** What never comes. */
  readonly never?: 'headers' | 'body';
}

export interface FakeEmbeddings {
  /** Base address, with `/v1`. */
  readonly url: string;
  /** The latest thousand, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

export function startFakeEmbeddings(options?: {
  readonly port?: number;
  readonly dimensions?: number;
  /** Time that an answer takes at least. */
  readonly delayMs?: number;
  /** `fakeVector` unless given. */
  readonly vectorOf?: (text: string) => readonly number[];
  /** undefined: vectors. */
  readonly answer?: (request: ReceivedRequest) => FakeAnswer | undefined;
}): Promise<FakeEmbeddings>;

export function fakeVector(text: string, dimensions: number): number[];
