import { once } from 'node:events';
import { connect } from 'node:net';
import type { Documents } from '../../support/documents.js';
import { FakeEmbeddedService } from '../../support/fake-embedded-service.js';
import type { Service } from '../../support/service.js';

const MEGABYTE = 2 ** 20;
const UNKNOWN = '/documents/5513a32f-33e4-4195-b885-1fa1a71767e2';

/** Memory limit of the process with all threads. */
const MAX_MEGABYTES = 1_200;

describe('hostile requests', () => {
  let embedded: FakeEmbeddedService;
  let service: Service;
  let documents: Documents;
  beforeAll(async () => {
    embedded = await FakeEmbeddedService.start();
    ({ service, documents } = embedded);
    await embedded.warmUp();
  });
  afterAll(() => embedded.stop());

  /** Returns status and `detail` of a response. */
  async function refusal(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    const answer = await service.client.post(path, body, { headers });
    return [answer.status, (answer.json() as { detail: unknown }).detail];
  }

  describe('bodies', () => {
    it.each([
      '/documents',
      '/documents/delete',
      '/search/documents',
      '/ingest/requeue',
      '/keys',
      '/v1/chat/completions',
    ])('of more than MAX_QUERY_BODY_MB return 413 at %s, which accepts no documents', async (path) => {
      const padding = 'x'.repeat(MEGABYTE);
      expect(await refusal(path, { padding })).toEqual([413, 'The request body is too large']);
    });

    it.each([
      '/ingest/text',
      '/query',
      '/retrieve/chunks',
      '/retrieve/chunks/grouped',
      `${UNKNOWN}/update_text`,
      `${UNKNOWN}/update_metadata`,
    ])('may have up to MAX_BODY_MB at %s', async (path) => {
      expect(await refusal(path, `{"a":"${'x'.repeat(24 * MEGABYTE)}`)).toEqual([
        422,
        [{ loc: ['body', 24 * MEGABYTE + 6], msg: 'JSON decode error', type: 'json_invalid' }],
      ]);
      expect((await refusal(path, { padding: 'x'.repeat(25 * MEGABYTE) }))[0]).toBe(413);
    });

    it('with too many values, levels or digits are rejected at the location of the excess', async () => {
      const bodies = ['{},'.repeat(8_000_000), '['.repeat(12_000_000), '1'.repeat(24_000_000)];
      const many = await Promise.all([...bodies, ...bodies].map((text) => refusal('/query', `[${text}`)));
      const expected = [
        [422, [item(149_998, 'JSON must not have more than 50000 values')]],
        [422, [item(512, 'JSON must not be nested deeper than 512 levels')]],
        [422, [item(1, 'JSON must not have numbers of more than 1000 characters')]],
      ];
      expect(many).toEqual([...expected, ...expected]);
      expect(await service.peakMegabytes()).toBeLessThan(MAX_MEGABYTES);
    });

    it('with one long text are accepted', async () => {
      const content = 'Eine längere Zeile über Boote.\n'.repeat(20_000);
      const { external_id: id } = await documents.ingestText(content);
      expect((await documents.text(id)) === content).toBe(true);
    });

    it.each(['gzip', 'deflate', 'br', 'gzip, identity'])('encoded as %s return 415', async (encoding) => {
      for (const [path, body] of [
        ['/query', '{"query":"a"}'],
        ['/ingest/file', new FormData()],
      ] as const) {
        const answer = await service.client.post(path, body, { headers: { 'content-encoding': encoding } });
        expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity']);
      }
    });

    it.each(['utf-16', 'UTF-16LE', 'iso-8859-1', '"latin1"'])('in %s return 415', async (charset) => {
      const headers = { 'content-type': `application/json; charset=${charset}` };
      expect(await refusal('/query', '{"query":"a"}', headers)).toEqual([415, 'The body must be UTF-8']);
    });

    it.each(['utf-8', '"UTF8"', 'us-ascii'])('in %s are decoded', async (charset) => {
      const headers = { 'content-type': `application/json; charset=${charset}` };
      expect((await service.client.post('/retrieve/chunks', '{"query":"a"}', { headers })).status).toBe(200);
    });

    it('of a form route return 415 without a content type, and with another one', async () => {
      for (const path of ['/ingest/file', '/ingest/files', `${UNKNOWN}/update_file`]) {
        const none = await service.client.call('POST', path);
        expect([none.status, none.json()]).toEqual([415, { detail: 'The body must be multipart/form-data' }]);
        for (const type of ['application/json', 'text/plain', 'multipart/mixed; boundary=a']) {
          expect((await refusal(path, 'a', { 'content-type': type }))[0]).toBe(415);
        }
      }
    });
  });

  it.each([
    ['GET', '/query', 'POST'],
    ['PUT', UNKNOWN, 'DELETE, GET, HEAD, PATCH'],
    ['PATCH', '/ingest/text/', 'POST'],
    ['DELETE', '/ping', 'GET, HEAD'],
    ['OPTIONS', '/keys', 'GET, HEAD, POST'],
  ])('%s %s returns 405 with Allow', async (method, path, allowed) => {
    const answer = await service.as(null).call(method, path);
    expect([answer.status, answer.headers.get('allow'), answer.json()]).toEqual([
      405,
      allowed,
      { detail: 'Method Not Allowed' },
    ]);
  });

  it.each([
    ['401', '/query', 'Bearer wrong'],
    ['404', '/no/such/route', ''],
    ['405', '/ping', ''],
  ])('answers %s before an endless body and closes the connection', async (status, path, key) => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const parts: Buffer[] = [];
    socket.on('data', (part: Buffer) => parts.push(part)).on('error', () => undefined);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: a\r\nauthorization: ${key}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    const chunk = Buffer.from(`10000\r\n${'x'.repeat(0x10000)}\r\n`);
    const send = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', send);
    send();
    await closed;
    expect(Buffer.concat(parts).toString()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('keeps the connection after a rejected body that arrived with its headers', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const request = `POST /no/such/route HTTP/1.1\r\nhost: a\r\ncontent-length: 3000\r\n\r\n${'x'.repeat(3_000)}`;
    let text = '';
    socket.on('data', (part: Buffer) => (text += part.toString()));
    for (const times of [1, 2]) {
      socket.write(request);
      while (text.split('HTTP/1.1 404 ').length <= times) {
        await once(socket, 'data');
      }
    }
    socket.destroy();
  });

  it('removes the path from the file name of a text', async () => {
    const { external_id: id, storage_files: files } = await documents.ingestText('A text.', {
      filename: '../../etc/passwd.txt',
    });
    const file = await service.client.get(`/documents/${id}/file`);
    expect(file.headers.get('content-disposition')).toBe('inline; filename=passwd.txt');
    expect(files.map(({ key }) => key)).not.toContainEqual(expect.stringContaining('passwd'));
  });
});

function item(position: number, message: string): object {
  return { loc: ['body', position], msg: `Value error, ${message}`, type: 'value_error' };
}
