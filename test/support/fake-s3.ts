import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * An S3-compatible store with the operations that the adapter uses: objects in memory, path-style addresses.
 */
export interface FakeS3 {
  readonly url: string;
  /** Objects of the initial bucket. */
  readonly objects: Objects;
  /** Method and path of every request. */
  readonly requests: string[];
  /** Multipart uploads that were neither completed nor aborted. */
  readonly uploads: ReadonlyMap<string, unknown>;
  /** Rejects every request with this status. undefined: responds normally again. */
  refuseWith(status: number | undefined, code?: string): void;
  /** Returns the keys in a bucket, without the owner object. */
  keysOf(bucket: string): string[];
  /** Creates a bucket. If another bucket is named, copies its objects into the new bucket. */
  addBucket(name: string, copied?: string): void;
  /** Accepts requests without responding, and stops responses in progress. */
  freeze(): void;
  /** Responds again, also to the requests that were received since `freeze`. */
  thaw(): void;
  close(): Promise<void>;
}

type Objects = Map<string, { readonly body: Buffer; readonly contentType: string | undefined }>;

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: string | Buffer;
}

/** Keys per page of a listing. */
const PAGE = 3;

/** Bytes per write. */
const PIECE = 1_000_000;

export async function startFakeS3(bucket: string): Promise<FakeS3> {
  const objects: Objects = new Map();
  const buckets = new Map([[bucket, objects]]);
  const requests: string[] = [];
  const uploads = new Map<string, Map<number, Buffer>>();
  let refusal: Answer | undefined;
  let thawed = Promise.resolve();
  let thaw = (): void => undefined;

  const server = createServer((request, response) => {
    void buffer(request).then(
      async (body) => {
        await thawed;
        const { status = 200, headers = {}, content } = refusal ?? answer(request, body);
        response.writeHead(status, headers);
        if (request.method !== 'HEAD') await send(response, content);
        response.end();
      },
      () => undefined, // the client disconnected
    );
  });

  async function send(response: ServerResponse, content: string | Buffer = ''): Promise<void> {
    const bytes = Buffer.from(content);
    for (let start = 0; start < bytes.length && !response.destroyed; start += PIECE) {
      await thawed;
      await new Promise((sent) => response.write(bytes.subarray(start, start + PIECE), sent));
    }
  }

  function answer(request: IncomingMessage, body: Buffer): Answer {
    const url = new URL(request.url ?? '/', 'http://fake');
    const [, name = '', ...segments] = url.pathname.split('/');
    const key = decodeURIComponent(segments.join('/'));
    requests.push(`${request.method ?? ''} ${url.pathname}${url.search}`);
    const stored = buckets.get(name);
    if (stored === undefined) return failure(404, 'NoSuchBucket');
    const upload = url.searchParams.get('uploadId') ?? '';
    const parts = uploads.get(upload);
    switch (request.method) {
      case 'POST':
        return parts === undefined ? begin(key) : complete(stored, key, upload, parts);
      case 'PUT':
        if (request.headers['if-none-match'] === '*' && stored.has(key)) {
          return failure(412, 'PreconditionFailed');
        }
        if (parts !== undefined) parts.set(Number(url.searchParams.get('partNumber')), body);
        else stored.set(key, { body, contentType: request.headers['content-type'] });
        return { headers: { etag: '"e"' } };
      case 'DELETE':
        if (parts !== undefined) uploads.delete(upload);
        else stored.delete(key);
        return { status: 204 };
      default:
        return url.searchParams.get('list-type') === '2'
          ? xml(listing(stored, url.searchParams))
          : read(stored, key, request.headers.range);
    }
  }

  function begin(key: string): Answer {
    const id = randomUUID();
    uploads.set(id, new Map());
    const names = `<Bucket>b</Bucket><Key>${key}</Key><UploadId>${id}</UploadId>`;
    return xml(`<InitiateMultipartUploadResult>${names}</InitiateMultipartUploadResult>`);
  }

  function complete(
    stored: Objects,
    key: string,
    upload: string,
    parts: ReadonlyMap<number, Buffer>,
  ): Answer {
    const whole = Buffer.concat([...parts].sort(([a], [b]) => a - b).map(([, part]) => part));
    stored.set(key, { body: whole, contentType: undefined });
    uploads.delete(upload);
    return xml('<CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>');
  }

  function read(stored: Objects, key: string, range: string | undefined): Answer {
    const found = stored.get(key);
    if (found === undefined) return failure(404, 'NoSuchKey');
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    const content = first === undefined ? found.body : found.body.subarray(Number(first), Number(last) + 1);
    const status = first === undefined ? 200 : 206;
    return { status, headers: { 'content-length': String(content.length) }, content };
  }

  function listing(stored: Objects, query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const keys = [...stored.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, PAGE);
    const more = keys.length > PAGE;
    const contents = page.map(
      (key) =>
        `<Contents><Key>${key}</Key><Size>${stored.get(key)?.body.length ?? 0}</Size><LastModified>2026-01-02T03:04:05.000Z</LastModified></Contents>`,
    );
    const next = more ? `<NextContinuationToken>${page.at(-1) ?? ''}</NextContinuationToken>` : '';
    return `<ListBucketResult><IsTruncated>${String(more)}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    requests,
    uploads,
    refuseWith(status, code = 'InternalError') {
      refusal = status === undefined ? undefined : failure(status, code);
    },
    keysOf: (name) => [...(buckets.get(name)?.keys() ?? [])].filter((key) => !key.startsWith('.')),
    addBucket(name, copied) {
      buckets.set(name, new Map(copied === undefined ? [] : buckets.get(copied)));
    },
    freeze() {
      thawed = new Promise((resolve) => {
        thaw = resolve;
      });
    },
    thaw: () => {
      thaw();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

const xml = (content: string, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  content: `<?xml version="1.0" encoding="UTF-8"?>${content}`,
});

const failure = (status: number, code: string): Answer =>
  xml(`<Error><Code>${code}</Code><Message>no</Message></Error>`, status);
