import { LecternClient, type UploadProgress } from './index.js';

/** A client whose service answers with a record, and the requests that it got. */
function recording(statuses: readonly number[] = [200], more: object = { key: 'k' }) {
  const sent: { request: Request; form: FormData }[] = [];
  const waiting = [...statuses];
  const fetch = async (request: Request): Promise<Response> => {
    sent.push({ request, form: await request.formData() });
    const status = waiting.shift() ?? 200;
    return Response.json(status === 200 ? { external_id: 'd' } : { detail: 'No.' }, { status });
  };
  return { client: new LecternClient({ url: 'http://localhost', fetch, ...more }), sent };
}

const PARTS = ['The lamp is lit. ', 'Its keeper is relieved.'];
const bytes = (): Uint8Array[] => PARTS.map((text) => new TextEncoder().encode(text));
/** Node's streams are iterable in the same way. */
async function* stream(): AsyncGenerator<Uint8Array> {
  for (const part of bytes()) yield await Promise.resolve(part);
}
const webStream = (): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const part of bytes()) controller.enqueue(part);
      controller.close();
    },
  });

describe('a file that is a stream', () => {
  it.each([
    ['of Node', stream],
    ['of the web', webStream],
  ])('%s is sent as a form, and its progress is reported', async (_, make) => {
    const { client, sent } = recording();
    const progress: UploadProgress[] = [];
    const record = await client.ingestFile(make(), {
      filename: 'a "lamp"\n.txt',
      folder_name: '/harbour',
      metadata: { kind: 'log' },
      onProgress: (one) => progress.push(one),
    });
    expect(record).toEqual({ external_id: 'd' });
    const [{ request, form } = { request: null, form: new FormData() }] = sent;
    expect(request?.headers.get('authorization')).toBe('Bearer k');
    expect(request?.headers.get('prefer')).toBe('handling=strict');
    const file = form.get('file') as File;
    expect([file.name, await file.text()]).toEqual(['a "lamp"\n.txt', PARTS.join('')]);
    expect([form.get('folder_name'), form.get('metadata')]).toEqual(['/harbour', '{"kind":"log"}']);
    expect(progress).toEqual([
      { sent: 17, total: Infinity },
      { sent: 40, total: Infinity },
    ]);
  });

  it('needs a name', async () => {
    const { client, sent } = recording();
    await expect(client.ingestFile(stream())).rejects.toThrow(TypeError);
    expect(sent).toEqual([]);
  });

  it('is not sent again: neither after an error nor with a new token', async () => {
    const refused = recording([503]);
    await expect(refused.client.ingestFile(stream(), { filename: 'a.txt' })).rejects.toMatchObject({
      status: 503,
    });
    expect(refused.sent).toHaveLength(1);
    const expired = recording([401], { token: () => Promise.resolve('t') });
    await expect(expired.client.ingestFile(stream(), { filename: 'a.txt' })).rejects.toThrow(
      'cannot be sent again',
    );
    expect(expired.sent).toHaveLength(1);
  });
});
