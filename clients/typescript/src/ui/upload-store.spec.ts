import { LecternClient } from '../index.js';
import { UploadStore } from './upload-store.js';
import { inWords } from './words.js';

interface Behaviour {
  /** Answers of the requests that send a file or ask for another try, in order. */
  readonly sending: ((request: Request) => Promise<Response> | Response)[];
  /** Statuses, in order. */
  readonly statuses: object[];
}

const RECORD = (): Response => Response.json({ external_id: 'one' });

function storeWith({ sending, statuses }: Behaviour) {
  const requests: string[] = [];
  /** Idempotency-Keys of the files that were sent. */
  const keys: (string | null)[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    requests.push(`${request.method} ${pathname}`);
    if (pathname.endsWith('/status')) return Response.json(statuses.shift() ?? { status: 'completed' });
    if (pathname === '/ingest/file') keys.push(request.headers.get('idempotency-key'));
    if (request.method === 'DELETE') return Response.json({ success: true });
    return (await sending.shift()?.(request)) ?? RECORD();
  };
  const client = new LecternClient({ url: 'http://lectern.test', fetch, retry: { retries: 0 } });
  return { store: new UploadStore(client), requests, keys };
}

/** Resolves when the first upload is in a state. */
function reached(store: UploadStore, state: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (store.get().uploads[0]?.state === state) resolve();
    };
    store.subscribe(look);
    look();
  });
}

const FILE = new File(['lit at dusk'], 'lamp.txt');

describe('uploads', () => {
  it('are sent with their options, and followed until they are ready', async () => {
    const forms: string[] = [];
    const { store } = storeWith({
      sending: [
        async (request) => {
          forms.push(await request.text());
          return RECORD();
        },
      ],
      statuses: [{ status: 'processing', progress: { percentage: 40 } }, { status: 'completed' }],
    });
    const seen: string[] = [];
    store.subscribe(() =>
      seen.push(
        store
          .get()
          .uploads.map((one) => `${one.state} ${one.percentage}`)
          .join(),
      ),
    );
    store.add([FILE], { metadata: { department: 'heating' } });
    await reached(store, 'completed');
    expect(seen).toEqual(
      expect.arrayContaining(['waiting 0', 'sending 0', 'processing 40', 'completed 100']),
    );
    expect(store.get().uploads).toMatchObject([
      { name: 'lamp.txt', size: 11, documentId: 'one', error: null },
    ]);
    expect(forms[0]).toContain('{"department":"heating"}');
    store.clear();
    expect(store.get().uploads).toEqual([]);
  });

  it('that were not accepted are sent again', async () => {
    const problem = { loc: ['body', 'file'], msg: 'Value error, The file is empty', type: 'value_error' };
    const refused = (): Response => Response.json({ detail: [problem] }, { status: 422 });
    const { store, requests } = storeWith({ sending: [refused], statuses: [] });
    store.add([FILE]);
    await reached(store, 'failed');
    expect(inWords(store.get().uploads[0]?.error)).toBe('The file is empty');
    store.retry(1);
    await reached(store, 'completed');
    expect(requests).toEqual(['POST /ingest/file', 'POST /ingest/file', 'GET /documents/one/status']);
  });

  it('that could not be read are read again, and not sent', async () => {
    const { store, requests } = storeWith({
      sending: [],
      statuses: [{ status: 'failed', error: 'No text' }],
    });
    store.add([FILE]);
    await reached(store, 'failed');
    store.retry(1);
    await reached(store, 'completed');
    expect(requests.filter((one) => one.startsWith('POST'))).toEqual([
      'POST /ingest/file',
      'POST /ingest/requeue',
    ]);
  });

  it('are cancelled while they are sent, and sent again', async () => {
    const { store, requests } = storeWith({
      sending: [
        ({ signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reject(signal.reason as Error);
            });
          }),
      ],
      statuses: [],
    });
    store.add([FILE]);
    await reached(store, 'sending');
    await store.cancel(1);
    expect(store.get().uploads[0]?.state).toBe('cancelled');
    store.retry(1);
    await reached(store, 'completed');
    expect(requests).not.toContain('DELETE /documents/one');
  });

  it('that are cancelled while they are read leave no document', async () => {
    const { store, requests } = storeWith({
      sending: [],
      statuses: [{ status: 'processing', progress: { percentage: 1 } }],
    });
    store.add([FILE]);
    await reached(store, 'processing');
    await store.cancel(1);
    expect(requests.at(-1)).toBe('DELETE /documents/one');
    expect(store.get().uploads[0]?.state).toBe('cancelled');
  });

  it('have a key of their own in all attempts', async () => {
    const lost = (): Promise<Response> => Promise.reject(new TypeError('the connection was lost'));
    const { store, keys } = storeWith({ sending: [lost, lost], statuses: [] });
    store.add([FILE]);
    await reached(store, 'failed');
    store.retry(1);
    await reached(store, 'failed');
    store.retry(1);
    await reached(store, 'completed');
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    store.clear();
    store.add([FILE]);
    await reached(store, 'completed');
    expect(keys[3]).not.toBe(keys[0]);
  });

  it('have another key once the document of the first is deleted', async () => {
    const gone = (): Response => Response.json({ detail: 'Document not found' }, { status: 404 });
    const { store, keys } = storeWith({
      sending: [gone],
      statuses: [{ status: 'processing', progress: { percentage: 1 } }],
    });
    store.add([FILE]);
    await reached(store, 'failed');
    store.retry(1);
    await reached(store, 'processing');
    await store.cancel(1);
    store.retry(1);
    await reached(store, 'completed');
    expect(new Set(keys).size).toBe(3);
  });
});
