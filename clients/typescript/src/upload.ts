import type { UploadProgress } from './types.js';

/** A file upload: its form and progress callback. */
export interface Upload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: FormData;
  /** Size of the file in bytes. */
  readonly size: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
}

/**
 * Sends a form. In browsers XMLHttpRequest reports the progress. Where fetch supports streams (Node, workers), the
 * bytes read from the request body are counted. Otherwise the progress is reported once, at the end.
 *
 * @param custom the caller's fetch; if given, it is used in place of XMLHttpRequest
 */
export async function sendForm(
  upload: Upload,
  custom: ((request: Request) => Promise<Response>) | undefined,
): Promise<Response> {
  const { onProgress, size } = upload;
  const fetch = custom ?? globalThis.fetch;
  if (onProgress === undefined) return fetch(formRequest(upload));
  if (custom === undefined && browserRequest() !== undefined) return byBrowser(upload, onProgress);
  if (supportsStreams()) return fetch(streamRequest(upload, onProgress));
  const response = await fetch(formRequest(upload));
  onProgress({ sent: size, total: size });
  return response;
}

function formRequest({ url, headers, form, signal }: Upload): Request {
  return new Request(url, { method: 'POST', headers, body: form, signal: signal ?? null });
}

function streamRequest(
  { url, headers, form, size, signal }: Upload,
  onProgress: (progress: UploadProgress) => void,
): Request {
  const encoded = new Response(form);
  let sent = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, out) {
      sent += bytes.byteLength;
      onProgress({ sent: Math.min(sent, size), total: size });
      out.enqueue(bytes);
    },
  });
  return new Request(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': encoded.headers.get('content-type') ?? '' },
    body: encoded.body?.pipeThrough(counter) ?? null,
    signal: signal ?? null,
    duplex: 'half',
  } as RequestInit);
}

/**
 * Whether fetch supports streams. A fetch without stream support does not read `duplex`, and sends the text "[object
 * ReadableStream]".
 */
function supportsStreams(): boolean {
  const asked = { duplex: false };
  const init = {
    method: 'POST',
    body: new ReadableStream(),
    get duplex() {
      asked.duplex = true;
      return 'half' as const;
    },
  };
  const isText = new Request('http://localhost', init).headers.has('content-type');
  return asked.duplex && !isText;
}

/** The members of XMLHttpRequest that are used here. The type of the DOM is not available outside of browsers. */
interface BrowserRequest {
  status: number;
  statusText: string;
  response: ArrayBuffer;
  responseType: string;
  readonly upload: { onprogress: ((event: { readonly loaded: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: FormData): void;
  abort(): void;
}

function browserRequest(): (new () => BrowserRequest) | undefined {
  return (globalThis as { readonly XMLHttpRequest?: unknown }).XMLHttpRequest as
    (new () => BrowserRequest) | undefined;
}

async function byBrowser(
  { url, headers, form, size, signal }: Upload,
  onProgress: (progress: UploadProgress) => void,
): Promise<Response> {
  signal?.throwIfAborted();
  const XMLHttpRequest = browserRequest();
  if (XMLHttpRequest === undefined) throw new TypeError('there is no XMLHttpRequest');
  const request = new XMLHttpRequest();
  const abort = (): void => {
    request.abort();
  };
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await new Promise<Response>((resolve, reject) => {
      request.upload.onprogress = ({ loaded }) => {
        onProgress({ sent: Math.min(loaded, size), total: size });
      };
      request.onload = () => {
        resolve(responseOf(request));
      };
      request.onerror = () => {
        reject(new TypeError('the request failed'));
      };
      request.onabort = () => {
        reject(signal?.reason as Error);
      };
      request.open('POST', url);
      request.responseType = 'arraybuffer';
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.send(form);
    });
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

function responseOf(request: BrowserRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const { status, statusText } = request;
  return new Response(request.response, { status, statusText, headers });
}
