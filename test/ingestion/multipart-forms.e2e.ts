import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';

const part = (disposition: string, content: string, type = 'text/plain') =>
  `--XX\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`;
const END = '--XX--\r\n';

describe('unusual multipart forms', () => {
  let service: Service;
  const send = (path: string, body: string) =>
    service.client.post(path, Buffer.from(body, 'latin1'), {
      headers: { 'content-type': 'multipart/form-data; boundary=XX' },
    });

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.stop());

  it.each([
    ['a name with U+0000', part('name="file"; filename*=UTF-8\'\'a%00b.txt', 'x') + END, 422],
    ['a name that is too long', part(`name="file"; filename="${'é'.repeat(600)}.txt"`, 'x') + END, 422],
    ['an end before the last part', part('name="file"; filename="a.txt"', 'x'), 400],
    ['a part without a header', '--XX\r\n\0\xff\r\n\r\nx\r\n' + END, 422],
    ['no part', END, 422],
    ['nothing', '', 422],
    [
      'a name of the prototype',
      part('name="__proto__"', 'x') + part('name="file"; filename="a"', 'x') + END,
      400,
    ],
    [
      'metadata twice',
      part('name="metadata"', '{"a":1}') +
        part('name="metadata"', '{"b":2}') +
        part('name="file"; filename="a"', 'x') +
        END,
      422,
    ],
    ['metadata twice as a file', part('name="metadata"; filename="m.json"', '{}') + END, 422],
  ])('with %s are rejected, and leave no file', async (_why, body, status) => {
    for (const path of ['/ingest/file', '/ingest/files']) {
      const named = path === '/ingest/files' ? body.replaceAll('name="file"', 'name="files"') : body;
      const answer = await send(path, named);
      const { errors, documents } = answer.json() as { errors?: unknown[]; documents?: unknown[] };
      if (answer.status === 200) expect([documents, errors?.length]).toEqual([[], 1]);
      else expect([path, answer.status]).toEqual([path, status]);
    }
    const stored = await readdir(join(service.dataDir, 'files'), { recursive: true, withFileTypes: true });
    // `.owner` names the database that owns the folder.
    expect(stored.filter((entry) => entry.isFile() && entry.name !== '.owner')).toEqual([]);
  });

  it('with a second file are rejected where one is expected, and leave none', async () => {
    const body = ['a', 'b'].map((name) => part(`name="file"; filename="${name}.txt"`, name)).join('') + END;
    const { external_id: id } = await new Documents(() => service.client).ingestText('Words.');
    for (const path of ['/ingest/file', `/documents/${id}/update_file`]) {
      const answer = await send(path, body);
      expect([answer.status, answer.json()]).toMatchObject([422, { detail: [{ loc: ['body', 'file'] }] }]);
    }
    expect((await send('/v1/files', part('name="purpose"', 'assistants') + body)).status).toBe(400);
    const stored = await readdir(join(service.dataDir, 'files'), { recursive: true, withFileTypes: true });
    expect(stored.filter((entry) => entry.isFile() && entry.name !== '.owner')).toEqual([]);
  });

  it.each([
    ['filename="a%22b.txt"', 'a%22b.txt'],
    ["filename*=UTF-8''a%22b.txt", 'a"b.txt'],
  ])('keep the file name as sent: %s', async (name, kept) => {
    const answer = await send('/ingest/file', part(`name="file"; ${name}`, 'words') + END);
    expect([answer.status, answer.json()]).toMatchObject([200, { filename: kept }]);
  });

  it('with an unnamed file or an unknown type are accepted', async () => {
    const nameless = await send(
      '/ingest/file',
      part('name="file"', 'words', 'application/octet-stream') + END,
    );
    expect([nameless.status, nameless.json()]).toMatchObject([200, { filename: null }]);
    const odd = await send(
      '/ingest/file',
      part('name="file"; filename="a.txt"', 'words', 'te\x01xt/\0') + END,
    );
    expect([odd.status, odd.json()]).toMatchObject([200, { content_type: 'application/octet-stream' }]);
  });

  it.each([
    ['/documents/filename/%00', 422],
    ['/documents/filename/%ED%A0%80', 400],
    ['/documents/filename/a%2Fb', 404],
    ['/documents/%00/file', 404],
    ['/documents/%2e%2e%2f/download_url', 404],
  ])('to the path %s are rejected', async (path, status) => {
    expect((await service.client.get(path)).status).toBe(status);
  });

  it.each(['/ingest/text', '/documents/00000000-0000-4000-8000-000000000000/update_text'])(
    'and names with invalid characters or length are rejected by %s',
    async (path) => {
      for (const [filename, type] of [
        ['漢'.repeat(342), 'value_error'],
        ['a\0', 'value_error'],
        ['', 'string_too_short'],
      ]) {
        const answer = await service.client.post(path, { content: 'x', filename });
        expect([answer.status, answer.json()]).toMatchObject([
          422,
          { detail: [{ loc: ['body', 'filename'], type }] },
        ]);
      }
    },
  );
});
