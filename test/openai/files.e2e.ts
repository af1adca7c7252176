import OpenAI, { BadRequestError, NotFoundError, PermissionDeniedError, toFile } from 'openai';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

const TEXT = 'The harbour lamp is lit at dusk. Größe: 7 m.';

describe('files of the OpenAI protocol', () => {
  let service: SharedService;
  let client: OpenAI;
  beforeAll(async () => {
    service = await SharedService.enter();
    client = new OpenAI({ apiKey: service.adminKey, baseURL: `${service.url}/v1`, maxRetries: 0 });
  });
  afterAll(() => service.stop());

  const upload = async (name: string, text = TEXT): Promise<OpenAI.FileObject> =>
    client.files.create({ file: await toFile(Buffer.from(text), name), purpose: 'assistants' });

  it('are uploaded, found, read and deleted', async () => {
    const file = await upload('größe.txt');
    expect(file).toEqual({
      id: expect.stringMatching(/^file-[0-9a-f]{32}$/) as string,
      object: 'file',
      bytes: Buffer.byteLength(TEXT),
      created_at: expect.any(Number) as number,
      filename: 'größe.txt',
      purpose: 'assistants',
      status: 'processed',
    });
    expect(await client.files.retrieve(file.id)).toEqual(file);
    expect(await (await client.files.content(file.id)).text()).toBe(TEXT);
    const part = await client.files.content(file.id, { headers: { range: 'bytes=4-10' } });
    expect([part.status, await part.text()]).toEqual([206, 'harbour']);
    expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true });
    await expect(client.files.retrieve(file.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.files.content(file.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.files.delete(file.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('are ready when a client polls them', async () => {
    const { id } = await upload('ready.txt');
    expect(await client.files.waitForProcessing(id)).toMatchObject({ id, status: 'processed' });
  });

  it('are listed in both orders, with paging and by purpose', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const file = await toFile(Buffer.from(name), `${name}.txt`);
      ids.push((await client.files.create({ file, purpose: 'user_data' })).id);
    }
    const listed = async (query: OpenAI.FileListParams): Promise<string[]> => {
      const found: string[] = [];
      for await (const { id } of client.files.list({ purpose: 'user_data', ...query })) found.push(id);
      return found;
    };
    expect(await listed({ order: 'asc', limit: 2 })).toEqual(ids);
    expect(await listed({ limit: 3 })).toEqual([...ids].reverse());
    expect(await listed({})).toEqual([...ids].reverse());
    expect(await listed({ purpose: 'batch' })).toEqual([]);
    const page = await service.client.get('/v1/files?purpose=user_data&order=asc&limit=2');
    expect(page.json()).toMatchObject({ object: 'list', first_id: ids[0], last_id: ids[1], has_more: true });
    const empty = await service.client.get('/v1/files?purpose=batch');
    expect(empty.json()).toEqual({ object: 'list', data: [], first_id: '', last_id: '', has_more: false });
  });

  it('accept form fields in any order, and expire', async () => {
    const form = new FormData();
    form.append('purpose', 'batch');
    form.append('expires_after[anchor]', 'created_at');
    form.append('expires_after[seconds]', '3600');
    form.append('file', new Blob(['x']), 'folder/name.txt');
    const file = (await service.client.post('/v1/files', form)).json() as OpenAI.FileObject;
    expect(file.filename).toBe('name.txt');
    expect((file.expires_at ?? 0) - file.created_at).toBe(3600);
  });

  it('are one stored object each, deleted with the file', async () => {
    const before = (await service.client.get('/usage/app-storage')).json() as { doc_raw_bytes_mb: number };
    const { id } = await upload('large.txt', 'x'.repeat(500_000));
    const storage = async (): Promise<number> =>
      ((await service.client.get('/usage/app-storage')).json() as { doc_raw_bytes_mb: number })
        .doc_raw_bytes_mb;
    expect((await storage()) - before.doc_raw_bytes_mb).toBeCloseTo(500_000 / 1_048_576, 2);
    await client.files.delete(id);
    expect(await storage()).toBeCloseTo(before.doc_raw_bytes_mb, 3);
  });

  it.each<[Record<string, string>, string]>([
    [{}, 'purpose'],
    [{ purpose: 'poetry' }, 'purpose'],
    [{ purpose: 'batch', 'expires_after[anchor]': 'created_at' }, 'expires_after'],
    [{ purpose: 'batch', 'expires_after[seconds]': '3600' }, 'expires_after'],
    [
      { purpose: 'batch', 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '9' },
      'expires_after[seconds]',
    ],
  ])('reject the fields %j at %s', async (fields, param) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob(['x']), 'x.txt');
    const answer = await service.client.post('/v1/files', form);
    expect([answer.status, (answer.json() as { error: { param: string } }).error.param]).toEqual([
      400,
      param,
    ]);
  });

  it('reject a form without a file, a file that is too large, and an unknown cursor', async () => {
    const form = new FormData();
    form.append('purpose', 'assistants');
    expect((await service.client.post('/v1/files', form)).json()).toMatchObject({ error: { param: 'file' } });
    await expect(upload('large.bin', 'x'.repeat(1_100_000))).rejects.toMatchObject({ status: 413 });
    await expect(client.files.list({ after: 'file-1' })).rejects.toBeInstanceOf(BadRequestError);
  });

  it('need write permission for changes and read permission for reading', async () => {
    const keyed = async (scope: string): Promise<OpenAI> => {
      const issued = (await service.client.post('/keys', { name: scope, scopes: [scope] })).json() as {
        key: string;
      };
      return new OpenAI({ apiKey: issued.key, baseURL: `${service.url}/v1`, maxRetries: 0 });
    };
    const { id } = await upload('keys.txt');
    const [reader, writer] = [await keyed('read'), await keyed('write')];
    expect(await reader.files.retrieve(id)).toMatchObject({ id });
    await expect(reader.files.delete(id)).rejects.toBeInstanceOf(PermissionDeniedError);
    await expect(writer.files.retrieve(id)).rejects.toBeInstanceOf(PermissionDeniedError);
    expect(await writer.files.delete(id)).toMatchObject({ deleted: true });
  });

  it('include documents ingested in other ways, read-only', async () => {
    const { external_id: documentId } = await new Documents(() => service.client).ingestText('Terns nest.', {
      filename: 'terns.txt',
    });
    const id = `file-${documentId.replaceAll('-', '')}`;
    expect(await client.files.retrieve(id)).toMatchObject({ id, filename: 'terns.txt', bytes: 11 });
    expect(await (await client.files.content(id)).text()).toBe('Terns nest.');
    await expect(client.files.delete(id)).rejects.toThrow(`DELETE /documents/${documentId}`);
  });
});
