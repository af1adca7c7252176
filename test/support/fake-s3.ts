import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What an S3-compatible store does, as far as the adapter asks: objects in memory, path-style addresses. */
export interface FakeS3 {
  readonly url: string;
  readonly objects: Map<string, { readonly body: Buffer; readonly contentType: string | undefined }>;
  /** Method and path of every request. */
  readonly requests: string[];
  /** Multipart uploads that were begun and neither completed nor aborted. */
  readonly uploads: ReadonlyMap<string, unknown>;
  /** Refuses everything from now on; undefined: answers again. */
  refuseWith(status: number | undefined, code?: string): void;
  close(): Promise<void>;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: string | Buffer;
}

/** Keys in one page of a listing. */
const PAGE = 3;

export async function startFakeS3(bucket: string): Promise<FakeS3> {
  const objects: FakeS3['objects'] = new Map();
  const requests: string[] = [];
  const uploads = new Map<string, Map<number, Buffer>>();
  let refusal: Answer | undefined;

  const server = createServer((request, response) => {
    void buffer(request).then(
      (body) => {
        const { status = 200, headers = {}, content } = refusal ?? answer(request, body);
        response.writeHead(status, headers);
        response.end(request.method === 'HEAD' ? undefined : content);
      },
      () => undefined, // the client broke off
    );
  });

  function answer(request: IncomingMessage, body: Buffer): Answer {
    const url = new URL(request.url ?? '/', 'http://fake');
    const key = decodeURIComponent(url.pathname.slice(`/${bucket}/`.length));
    requests.push(`${request.method ?? ''} ${url.pathname}${url.search}`);
    const upload = url.searchParams.get('uploadId') ?? '';
    const parts = uploads.get(upload);
    switch (request.method) {
      case 'POST':
        return parts === undefined ? begin(key) : complete(key, upload, parts);
      case 'PUT':
        if (parts !== undefined) parts.set(Number(url.searchParams.get('partNumber')), body);
        else objects.set(key, { body, contentType: request.headers['content-type'] });
        return { headers: { etag: '"e"' } };
      case 'DELETE':
        if (parts !== undefined) uploads.delete(upload);
        else objects.delete(key);
        return { status: 204 };
      default:
        return url.searchParams.get('list-type') === '2'
          ? xml(listing(url.searchParams))
          : read(key, request.headers.range);
    }
  }

  function begin(key: string): Answer {
    const id = randomUUID();
    uploads.set(id, new Map());
    const names = `<Bucket>${bucket}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId>`;
    return xml(`<InitiateMultipartUploadResult>${names}</InitiateMultipartUploadResult>`);
  }

  function complete(key: string, upload: string, parts: ReadonlyMap<number, Buffer>): Answer {
    const whole = Buffer.concat([...parts].sort(([a], [b]) => a - b).map(([, part]) => part));
    objects.set(key, { body: whole, contentType: undefined });
    uploads.delete(upload);
    return xml('<CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>');
  }

  function read(key: string, range: string | undefined): Answer {
    const found = objects.get(key);
    if (found === undefined) return failure(404, 'NoSuchKey');
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    const content = first === undefined ? found.body : found.body.subarray(Number(first), Number(last) + 1);
    const status = first === undefined ? 200 : 206;
    return { status, headers: { 'content-length': String(content.length) }, content };
  }

  function listing(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, PAGE);
    const more = keys.length > PAGE;
    const contents = page.map(
      (key) =>
        `<Contents><Key>${key}</Key><Size>${objects.get(key)?.body.length ?? 0}</Size><LastModified>2026-01-02T03:04:05.000Z</LastModified></Contents>`,
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
