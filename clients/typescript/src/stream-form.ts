import { readableOf } from './readable-of.js';
import type { UploadProgress } from './types.js';

/** A file as a stream, such as Node's `createReadStream(path)`. It is sent once, and is never retried. */
export type FileStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export function isStream(file: Blob | FileStream): file is FileStream {
  return !(file instanceof Blob);
}

/** A form with one file that is a stream. */
export interface StreamForm {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  readonly filename: string;
  readonly file: FileStream;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
}

/**
 * Makes the request of a form, of which no more is in memory than a part of the file. `FormData` cannot contain a stream,
 * so the form is written here (RFC 7578).
 */
export function streamFormRequest({ url, headers, signal, ...form }: StreamForm): Request {
  const boundary = `lectern-${crypto.randomUUID()}`;
  return new Request(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: readableOf(parts(boundary, form)),
    signal: signal ?? null,
    duplex: 'half',
  } as RequestInit);
}

async function* parts(
  boundary: string,
  { fields, filename, file, onProgress }: Omit<StreamForm, 'url' | 'headers' | 'signal'>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const text = new TextEncoder();
  for (const [name, value] of Object.entries(fields)) {
    yield text.encode(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  }
  yield text.encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped(filename)}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
  let sent = 0;
  for await (const bytes of file) {
    sent += bytes.byteLength;
    yield bytes;
    onProgress?.({ sent, total: Infinity });
  }
  yield text.encode(`\r\n--${boundary}--\r\n`);
}

/** Escapes a file name as browsers do. */
function escaped(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
