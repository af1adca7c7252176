import { request } from 'node:http';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';

type Headers = Readonly<Record<string, string>>;

interface Told {
  readonly status: number;
  readonly text: string;
}

describe('a service with AUTH_MODE=none', () => {
  let service: Service;

  /** Sends a request with the `Host` that a browser would send for a page of this name. */
  const sent = (method: string, path: string, headers: Headers, body = ''): Promise<Told> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(service.url);
      const options = {
        method,
        path,
        hostname,
        port,
        headers: { 'content-type': 'application/json', ...headers },
      };
      const outgoing = request(options, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });

  beforeAll(async () => {
    service = await Service.start({ AUTH_MODE: 'none', ALLOWED_HOSTS: 'nas.lan' });
    await new Documents(() => service.as(null)).ingestText('The boat is in the harbour.', {
      filename: 'boat.txt',
    });
  });
  afterAll(() => service.stop());

  it.each<[string, Headers]>([
    ['another name for this machine (DNS rebinding)', { host: 'evil.example:8000' }],
    ['a page of another site (CSRF)', { host: 'localhost', origin: 'https://evil.example' }],
    ['a sandboxed page', { host: 'localhost', origin: 'null' }],
    ['a page that was rebound', { host: 'evil.example', origin: 'http://evil.example' }],
  ])('refuses %s, and changes nothing', async (_, headers) => {
    const ingested = { content: 'Forged.', filename: 'forged.txt' };
    const attempts = [
      await sent('GET', '/documents/filename/boat.txt', headers),
      await sent('POST', '/retrieve/chunks', headers, JSON.stringify({ query: 'boat' })),
      await sent('POST', '/ingest/text', headers, JSON.stringify(ingested)),
      await sent('POST', '/mcp', headers, '{}'),
      await sent('GET', '/metrics', headers),
      await sent('GET', '/v1/files', headers),
      await sent(
        'POST',
        '/local/generate_uri',
        {
          ...headers,
          'content-type': 'application/x-www-form-urlencoded',
        },
        'name=default&password_token=x',
      ),
    ];
    for (const { status, text } of attempts) {
      expect([status, text]).toEqual([403, expect.stringContaining('ALLOWED_HOSTS')]);
      expect(text).not.toContain('boat');
    }
    expect((await service.as(null).get('/documents/filename/forged.txt')).status).toBe(404);
  });

  it.each<[string, Headers]>([
    ['a loopback name', { host: 'localhost:8000' }],
    ['a page of this machine', { host: '127.0.0.1:8000', origin: 'http://localhost:5173' }],
    ['a name that the setting allows', { host: 'nas.lan', origin: 'http://nas.lan' }],
  ])('answers %s', async (_, headers) => {
    expect(
      await sent('POST', '/retrieve/chunks', headers, JSON.stringify({ query: 'boat', k: 1 })),
    ).toMatchObject({
      status: 200,
      text: expect.stringContaining('harbour') as string,
    });
  });

  it('answers probes under every name', async () => {
    expect((await sent('GET', '/health/live', { host: '10.1.2.3:8000' })).status).toBe(200);
  });
});
