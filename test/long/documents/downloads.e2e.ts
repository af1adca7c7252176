import { randomBytes } from 'node:crypto';
import { Documents } from '../../support/documents.js';
import { startFakeS3, type FakeS3 } from '../../support/fake-s3.js';
import { Service } from '../../support/service.js';
import { until } from '../../support/until.js';

interface Link {
  readonly download_url: string;
}

/** A page of `size` bytes with a short text, so that its ingestion takes no time. */
function pageOf(size: number): Buffer {
  const [begin, end] = ['<p>The lamp is lit at dusk.</p><!--', '-->'];
  const filling = randomBytes(size / 2).toString('hex');
  return Buffer.from(begin + filling.slice(begin.length + end.length) + end);
}

describe.each(['local', 's3'] as const)('downloads from the %s store', (store) => {
  const bytes = pageOf(300_000);
  let s3: FakeS3 | undefined;
  let service: Service;
  let documents: Documents;
  let id: string;
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    service.client.fetch(method, `/documents/${id}/file`, { headers });
  const bodyOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
  const linkTo = async (documentId: string, query = '') =>
    (await service.client.get(`/documents/${documentId}/download_url${query}`)).json() as Link;

  beforeAll(async () => {
    s3 = store === 's3' ? await startFakeS3('files') : undefined;
    service = await Service.start(
      s3 === undefined
        ? {}
        : { STORAGE: 's3', S3_ENDPOINT: s3.url, S3_BUCKET: 'files', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' },
    );
    documents = new Documents(() => service.client);
    const form = new FormData();
    form.append('file', new Blob([bytes]), 'page.html');
    const answer = await service.client.post('/ingest/file', form);
    id = (answer.json() as { external_id: string }).external_id;
  });
  afterAll(async () => {
    await service.stop();
    await s3?.close();
  });

  it('are whole', async () => {
    const response = await get();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '300000',
      'content-disposition': 'attachment; filename=page.html',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
    });
    expect((await bodyOf(response)).equals(bytes)).toBe(true);
  });

  it.each([
    ['bytes=0-99', 'bytes 0-99/300000', 0, 100],
    ['bytes=299990-', 'bytes 299990-299999/300000', 299_990, 300_000],
    ['bytes=-10', 'bytes 299990-299999/300000', 299_990, 300_000],
    ['bytes=100-400000', 'bytes 100-299999/300000', 100, 300_000],
  ])('are partial for %s', async (range, contentRange, start, end) => {
    const response = await get({ range });
    expect([response.status, response.headers.get('content-range')]).toEqual([206, contentRange]);
    expect(response.headers.get('content-length')).toBe(String(end - start));
    expect((await bodyOf(response)).equals(bytes.subarray(start, end))).toBe(true);
  });

  it.each(['bytes=300000-', 'bytes=5-2', 'bytes=a-b', 'bytes=0-1,4-5', 'bytes=-0'])(
    'refuse %s',
    async (range) => {
      const response = await get({ range });
      expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */300000']);
      expect(await response.json()).toEqual({ detail: expect.any(String) as unknown });
    },
  );

  it('are 304 for a matching If-None-Match', async () => {
    const etag = (await get({}, 'HEAD')).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    const same = await get({ 'if-none-match': `"other", ${etag}` });
    expect([same.status, await same.text()]).toEqual([304, '']);
    expect((await get({ range: 'bytes=0-0', 'if-range': etag })).status).toBe(206);
    const changed = await get({ range: 'bytes=0-0', 'if-range': '"older"' });
    expect([changed.status, (await bodyOf(changed)).length]).toEqual([200, 300_000]);
  });

  it('return their size for HEAD', async () => {
    const response = await get({}, 'HEAD');
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      200,
      '300000',
      '',
    ]);
    const part = await get({ range: 'bytes=0-9' }, 'HEAD');
    expect([part.status, part.headers.get('content-length')]).toEqual([206, '10']);
  });

  it('work by link without a key until it expires', async () => {
    const link = (await service.client.get(`/documents/${id}/download_url?expires_in=60`)).json() as Link;
    expect(link).toMatchObject({
      document_id: id,
      expires_in: 60,
      filename: 'page.html',
      content_type: 'application/octet-stream',
    });
    expect(link.download_url.startsWith(`${service.url}/files?token=`)).toBe(true);
    const response = await fetch(link.download_url, { headers: { range: 'bytes=0-9' } });
    expect([response.status, response.headers.get('content-disposition')]).toEqual([
      206,
      'attachment; filename=page.html',
    ]);
    expect((await bodyOf(response)).equals(bytes.subarray(0, 10))).toBe(true);
    expect((await fetch(link.download_url, { method: 'HEAD' })).headers.get('content-length')).toBe('300000');

    const brief = await linkTo(id, '?expires_in=1');
    await until('the link expires', async () => {
      const answer = await fetch(brief.download_url);
      await answer.arrayBuffer();
      return answer.status === 403;
    });
    expect(await (await fetch(brief.download_url)).json()).toEqual({
      detail: 'The link is not valid or has expired',
    });
  });

  it('are denied with one message for every invalid token', async () => {
    const { download_url: url } = await linkTo(id);
    const token = new URL(url).searchParams.get('token') ?? '';
    const [payload = '', signature = ''] = token.split('.');
    const [, ...rest] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[];
    const forged = Buffer.from(JSON.stringify(['other', ...rest])).toString('base64url');
    for (const bad of [`${forged}.${signature}`, payload, `${payload}.`, '.', 'x.y', `${token}x`, '%00']) {
      const answer = await service.as(null).get(`/files?token=${bad}`);
      expect([bad, answer.status]).toEqual([bad, bad === '%00' ? 422 : 403]);
      if (answer.status === 403) {
        expect(answer.json()).toEqual({ detail: 'The link is not valid or has expired' });
      }
    }
    const missing = await service.as(null).get('/files');
    expect([missing.status, missing.json()]).toMatchObject([422, { detail: [{ loc: ['query', 'token'] }] }]);
    expect(service.output).not.toContain(token);
  });

  it.each([
    ['0', 'greater_than'],
    ['-5', 'greater_than'],
    ['604801', 'less_than_equal'],
    ['soon', 'int_type'],
    ['1.5', 'int_type'],
  ])('reject a link lifetime of %s seconds', async (seconds, type) => {
    const answer = await service.client.get(`/documents/${id}/download_url?expires_in=${seconds}`);
    expect([answer.status, answer.json()]).toMatchObject([
      422,
      { detail: [{ loc: ['query', 'expires_in'], type }] },
    ]);
  });

  it('have safe headers for names in any script and for executable types', async () => {
    const page = await documents.ingestFile(
      'Ferry "page" – 渡船 €.html',
      Buffer.from('<h1>Ferry</h1><p>Words.</p>'),
    );
    const response = await service.client.fetch('GET', `/documents/${page.external_id}/file`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    const disposition = response.headers.get('content-disposition') ?? '';
    expect(disposition.startsWith('attachment; ')).toBe(true);
    expect(decodeURIComponent(/filename\*=UTF-8''(\S+)/.exec(disposition)?.[1] ?? '')).toBe(page.filename);
    expect(await response.text()).toBe('<h1>Ferry</h1><p>Words.</p>');

    const note = await documents.ingestText('Plain words.', { filename: 'a/b\\c;d.txt' });
    const text = await service.client.fetch('GET', `/documents/${note.external_id}/file`);
    expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect([text.status, await text.text()]).toEqual([200, 'Plain words.']);
  });

  it('of foreign documents are the same 404 as unknown ones, and links end with their document', async () => {
    const issued = await service.client.post('/keys', { name: 'other', scopes: ['read'], app_id: 'other' });
    const stranger = service.as((issued.json() as { key: string }).key);
    for (const path of ['file', 'download_url']) {
      const [foreign, unknown, odd] = await Promise.all(
        [id, '00000000-0000-4000-8000-000000000000', '%2e%2e%2f%2e%2e'].map((one) =>
          stranger.get(`/documents/${one}/${path}`),
        ),
      );
      expect([foreign!.status, foreign!.text]).toEqual([404, unknown!.text]);
      expect([odd!.status, odd!.text]).toEqual([404, unknown!.text]);
    }
    const gone = await documents.ingestText('Short-lived.');
    const { download_url: url } = await linkTo(gone.external_id);
    expect((await fetch(url)).status).toBe(200);
    await service.client.delete(`/documents/${gone.external_id}`);
    expect((await fetch(url)).status).toBe(404);
  });

  it('need read permission', async () => {
    const issued = await service.client.post('/keys', { name: 'writer', scopes: ['write'] });
    const writer = service.as((issued.json() as { key: string }).key);
    expect((await writer.get(`/documents/${id}/file`)).status).toBe(403);
    expect((await writer.get(`/documents/${id}/download_url`)).status).toBe(403);
    expect((await service.as(null).get(`/documents/${id}/file`)).status).toBe(401);
  });
});
