import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pRetry, { AbortError } from 'p-retry';

/** A document of the service, as far as it matters here. */
export interface KnownDocument {
  readonly id: string;
  readonly status: 'processing' | 'completed' | 'failed';
  /** Work is going on, or waits for its turn. */
  readonly busy: boolean;
  /** Why the last work on it failed. */
  readonly error: string | null;
  readonly sourcePath: string;
  readonly sourceHash: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** What the service says against a request. */
class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The service may take the request later. */
class TryLater extends Error {
  constructor(
    message: string,
    readonly seconds: number | null,
  ) {
    super(message);
  }
}

interface Listed {
  readonly external_id: string;
  readonly metadata: { readonly source_path: string; readonly source_sha256: string };
  readonly system_metadata: {
    readonly status: KnownDocument['status'];
    readonly created_at: string;
    readonly progress?: unknown;
    readonly error?: string;
  };
}

export interface ClientOptions {
  readonly url: string;
  readonly key: string | undefined;
  readonly folder: string | undefined;
  readonly endUser: string | undefined;
  /** Of every document. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Answers that a later try may change: too many requests, and what a restart or a proxy in front gives. */
const PASSING = new Set([429, 502, 503, 504]);
const TRIES = 8;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/** Documents asked for in one listing. */
const LISTED_AT_ONCE = 200;

/** The REST API as `lectern ingest` uses it. Requests that fail for a passing reason are sent again. */
export class LecternClient {
  constructor(private readonly options: ClientOptions) {}

  /** @throws Error when nothing that could be the service answers. */
  async reach(): Promise<void> {
    const { url } = this.options;
    try {
      const response = await fetch(`${url}/ping`);
      await response.arrayBuffer();
      if (response.ok) return;
      throw new Error(`it answers ${response.status}`);
    } catch (error) {
      const { message, cause } = error as Error & { readonly cause?: { readonly code?: string } };
      throw new Error(`Cannot reach the service at ${url} (${cause?.code ?? message})`, { cause: error });
    }
  }

  /** The newest document of each source path that has one. */
  async bySourcePath(paths: readonly string[]): Promise<Map<string, KnownDocument>> {
    const found = new Map<string, KnownDocument>();
    for (const document of await this.list('source_path', paths)) {
      const other = found.get(document.sourcePath);
      if (other === undefined || other.createdAt < document.createdAt) {
        found.set(document.sourcePath, document);
      }
    }
    return found;
  }

  /** Documents by id; one that is gone is missing. */
  async byId(ids: readonly string[]): Promise<Map<string, KnownDocument>> {
    return new Map((await this.list('external_id', ids)).map((document) => [document.id, document]));
  }

  /** @returns the id of the new document */
  async ingest(path: string, sourcePath: string, hash: string): Promise<string> {
    const { folder, endUser } = this.options;
    const scope = {
      ...(folder === undefined ? {} : { folder_name: folder }),
      ...(endUser === undefined ? {} : { end_user_id: endUser }),
    };
    return this.sendFile('/ingest/file', path, sourcePath, hash, scope, async () => {
      // The answer of the try before may have been lost on its way.
      const known = (await this.bySourcePath([sourcePath])).get(sourcePath);
      return known?.sourceHash === hash ? known.id : null;
    });
  }

  /** Puts the file in the place of the document's text. */
  async update(id: string, path: string, sourcePath: string, hash: string): Promise<string> {
    const target = `/documents/${encodeURIComponent(id)}/update_file`;
    return this.sendFile(target, path, sourcePath, hash, { update_strategy: 'replace' }, () =>
      Promise.resolve(null),
    );
  }

  async remove(id: string): Promise<void> {
    try {
      await this.send('DELETE', `/documents/${encodeURIComponent(id)}`, () => Promise.resolve(undefined));
    } catch (error) {
      if (!(error instanceof Refused && error.status === 404)) throw error;
    }
  }

  private async list(field: string, values: readonly string[]): Promise<KnownDocument[]> {
    const query = new URLSearchParams();
    if (this.options.folder !== undefined) query.set('folder_name', this.options.folder);
    if (this.options.endUser !== undefined) query.set('end_user_id', this.options.endUser);
    const documents: KnownDocument[] = [];
    for (let start = 0; start < values.length; start += LISTED_AT_ONCE) {
      const body = JSON.stringify({
        document_filters: { [field]: { $in: values.slice(start, start + LISTED_AT_ONCE) } },
        limit: 1_000,
        fields: ['external_id', 'metadata', 'system_metadata'],
      });
      const answer = (await this.send('POST', `/documents?${query.toString()}`, () =>
        Promise.resolve({ body, type: 'application/json' }),
      )) as { readonly documents: readonly Listed[] };
      documents.push(...answer.documents.map(knownDocument));
    }
    return documents;
  }

  /** @param already asked before every try but the first: the id when the work is done. */
  private async sendFile(
    target: string,
    path: string,
    sourcePath: string,
    hash: string,
    fields: Readonly<Record<string, string>>,
    already: () => Promise<string | null>,
  ): Promise<string> {
    const metadata = { ...this.options.metadata, source_path: sourcePath, source_sha256: hash };
    const record = (await this.send(
      'POST',
      target,
      async () => {
        const form = new FormData();
        for (const [name, value] of Object.entries(fields)) form.append(name, value);
        form.append('metadata', JSON.stringify(metadata));
        form.append('file', await openAsBlob(path), basename(path));
        return { body: form };
      },
      already,
    )) as Pick<Listed, 'external_id'> | string;
    return typeof record === 'string' ? record : record.external_id;
  }

  private async send(
    method: string,
    path: string,
    content: () => Promise<{ readonly body: string | FormData; readonly type?: string } | undefined>,
    already: () => Promise<unknown> = () => Promise.resolve(null),
  ): Promise<unknown> {
    return pRetry(
      async (attempt) => {
        const done = attempt === 1 ? null : await already();
        if (done !== null) return done;
        const { body, type } = (await content()) ?? {};
        const response = await fetch(this.options.url + path, {
          method,
          headers: {
            ...(this.options.key === undefined ? {} : { authorization: `Bearer ${this.options.key}` }),
            ...(type === undefined ? {} : { 'content-type': type }),
          },
          ...(body === undefined ? {} : { body }),
        });
        return readAnswer(response);
      },
      {
        retries: TRIES - 1,
        minTimeout: FIRST_WAIT_MS,
        maxTimeout: LONGEST_WAIT_MS,
        randomize: true,
        shouldRetry: ({ error }) => error instanceof TryLater || error instanceof TypeError, // the latter by fetch
        onFailedAttempt: async ({ error, retriesLeft }) => {
          if (retriesLeft > 0 && error instanceof TryLater && error.seconds !== null) {
            await pause(error.seconds * 1_000);
          }
        },
      },
    );
  }
}

/** @throws TryLater for what may pass; AbortError around Refused for everything else that is no success. */
async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text();
  if (response.ok) return text === '' ? null : JSON.parse(text);
  const detail = `${response.status}: ${detailOf(text)}`;
  if (PASSING.has(response.status))
    throw new TryLater(detail, secondsOf(response.headers.get('retry-after')));
  throw new AbortError(new Refused(response.status, detail));
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

function knownDocument({ external_id, metadata, system_metadata }: Listed): KnownDocument {
  const { status, created_at, progress, error } = system_metadata;
  return {
    id: external_id,
    status,
    busy: status === 'processing' || progress !== undefined,
    error: error ?? null,
    sourcePath: metadata.source_path,
    sourceHash: metadata.source_sha256,
    createdAt: created_at,
  };
}
