import { LecternClient, type UploadProgress } from './index.js';

const SIZE = 300_000;
const file = new Blob([new Uint8Array(SIZE).fill(120)]);

/** The browser's request object, which responds with a record. */
class FakeXMLHttpRequest {
  static sent: { url: string; headers: Record<string, string>; form: FormData } | undefined;
  static isHanging = false;
  readonly upload: { onprogress: ((event: { loaded: number }) => void) | null } = { onprogress: null };
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onabort: (() => void) | null = null;
  responseType = '';
  status = 0;
  statusText = '';
  response = new ArrayBuffer(0);
  private url = '';
  private readonly headers: Record<string, string> = {};

  open(_method: string, url: string): void {
    this.url = url;
  }
  setRequestHeader(name: string, value: string): void {
    this.headers[name] = value;
  }
  getAllResponseHeaders(): string {
    return 'content-type: application/json\r\nx-request-id: r-2\r\n';
  }
  abort(): void {
    this.onabort?.();
  }
  send(form: FormData): void {
    FakeXMLHttpRequest.sent = { url: this.url, headers: this.headers, form };
    this.upload.onprogress?.({ loaded: SIZE / 2 });
    if (FakeXMLHttpRequest.isHanging) return;
    this.upload.onprogress?.({ loaded: SIZE + 500 });
    this.status = this.url.includes('refused') ? 413 : 200;
    const body = this.status === 200 ? { external_id: 'd' } : { detail: 'Too large.' };
    this.response = new TextEncoder().encode(JSON.stringify(body)).buffer;
    this.onload?.();
  }
}

describe('the progress of an upload', () => {
  it('is reported as the body is read', async () => {
    const seen: UploadProgress[] = [];
    let received = '';
    const client = new LecternClient({
      url: 'http://lectern.test',
      fetch: async (request) => {
        const form = await request.formData();
        received = await (form.get('file') as File).text();
        expect([form.get('metadata'), form.get('use_colpali'), form.get('folder_name')]).toEqual([
          '{"kind":"log"}',
          'true',
          '/harbour',
        ]);
        return Response.json({ external_id: 'd' });
      },
    });
    await client.ingestFile(file, {
      filename: 'log.txt',
      metadata: { kind: 'log' },
      use_colpali: true,
      folder_name: '/harbour',
      onProgress: (progress) => seen.push(progress),
    });
    expect(received).toBe('x'.repeat(SIZE));
    expect(seen.at(-1)).toEqual({ sent: SIZE, total: SIZE });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.map(({ sent }) => sent)).toEqual(seen.map(({ sent }) => sent).sort((a, b) => a - b));
  });

  describe('in a browser', () => {
    const scope = globalThis as { XMLHttpRequest?: unknown };
    beforeEach(() => {
      FakeXMLHttpRequest.isHanging = false;
      scope.XMLHttpRequest = FakeXMLHttpRequest;
    });
    afterEach(() => {
      delete scope.XMLHttpRequest;
    });

    it('is reported by XMLHttpRequest', async () => {
      const seen: UploadProgress[] = [];
      const client = new LecternClient({ url: 'http://lectern.test', key: 'k' });
      const onProgress = (progress: UploadProgress) => seen.push(progress);
      const record = await client.ingestFile(new File([file], 'log.txt'), { onProgress });
      expect(record).toEqual({ external_id: 'd' });
      expect(seen.map(({ sent }) => sent)).toEqual([SIZE / 2, SIZE]);
      expect(FakeXMLHttpRequest.sent).toMatchObject({
        url: 'http://lectern.test/ingest/file',
        headers: { authorization: 'Bearer k' },
      });
      expect((FakeXMLHttpRequest.sent?.form.get('file') as File).name).toBe('log.txt');
    });

    it('rejects with the error of the service, or of the signal', async () => {
      const options = { filename: 'log.txt', onProgress: () => undefined };
      const client = new LecternClient({ url: 'http://refused.test' });
      await expect(client.ingestFile(file, options)).rejects.toMatchObject({
        status: 413,
        detail: 'Too large.',
        requestId: 'r-2',
      });
      FakeXMLHttpRequest.isHanging = true;
      const aborted = client.ingestFile(file, { ...options, signal: AbortSignal.timeout(20) });
      await expect(aborted).rejects.toMatchObject({ name: 'TimeoutError' });
    });
  });

  it('requires a filename for a Blob without a name', async () => {
    const client = new LecternClient({ url: 'http://lectern.test' });
    await expect(client.ingestFile(file)).rejects.toThrow('filename is needed for a Blob without a name');
  });
});
