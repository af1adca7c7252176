import type { InvalidItem } from '../../src/errors/index.js';
import { INVALID_QUERIES, INVALID_RETRIEVALS, INVALID_UPDATES } from '../support/invalid-bodies.js';
import { becomesReady, settledHealth } from '../support/health.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

const UNKNOWN_ID = '5513a32f-33e4-4195-b885-1fa1a71767e2';
const MEGABYTE = 1_024 * 1_024;

/** Status of an open route without the proof of its own that it needs: a link, a form, a session. Others are a 200. */
const OPEN: Readonly<Record<string, number>> = {
  'GET /files': 422,
  'POST /local/generate_uri': 422,
  'POST /keys/sign_in': 422,
  'POST /keys/invitation': 422,
  'POST /session': 422,
  'DELETE /session': 403,
};

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly security?: object[] }>>>>;
}

interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

describe('the HTTP layer', () => {
  let service: Service;
  beforeAll(async () => {
    // The log level hides probes, which are logged at debug.
    service = await Service.start({
      MAX_BODY_MB: '1',
      CORS_ORIGINS: 'https://app.example',
      LOG_LEVEL: 'debug',
    });
    await becomesReady(service.as(null));
  });
  afterAll(() => service.stop());

  async function issue(scopes: readonly string[], more: object = {}): Promise<IssuedKey> {
    return (await service.client.post('/keys', { name: 'test', scopes, ...more })).json() as IssuedKey;
  }

  async function operations(): Promise<{ method: string; path: string; open: boolean }[]> {
    const { paths } = (await service.as(null).get('/openapi.json')).json() as OpenApi;
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security }]) => ({
        method: method.toUpperCase(),
        path: path.replace(/\{\w+\}/g, UNKNOWN_ID),
        open:
          security === undefined ||
          security.length === 0 ||
          security.some((way) => Object.keys(way).length === 0),
      })),
    );
  }

  describe('keys', () => {
    it('are required on every route except public ones, before the body is read', async () => {
      const all = await operations();
      const closed = all.filter(({ open }) => !open);
      expect(closed.map(({ path }) => path)).toEqual(
        expect.arrayContaining([
          '/retrieve/chunks/grouped',
          '/query',
          `/documents/${UNKNOWN_ID}/update_text`,
        ]),
      );
      for (const { method, path } of closed) {
        const body = method === 'GET' ? {} : { body: '{"broken' };
        const answer = await service.as(null).call(method, path, body);
        expect([method, path, answer.status, answer.headers.get('www-authenticate')]).toEqual([
          method,
          path,
          401,
          'Bearer',
        ]);
        // Routes of the OpenAI protocol add an error in its format.
        const members = path.startsWith('/v1/') ? ['detail', 'error'] : ['detail'];
        expect(Object.keys(answer.json() as object)).toEqual(members);
      }
      for (const { method, path } of all.filter(({ open }) => open)) {
        const route = `${method} ${path}`;
        expect([route, (await service.as(null).call(method, path)).status]).toEqual([
          route,
          OPEN[route] ?? 200,
        ]);
      }
    });

    it.each(['Bearer', 'Bearer a b', 'Basic dXNlcjpwYXNz', 'Bearer abc', 'Token abc'])(
      'in the header %j are 401',
      async (authorization) => {
        const answer = await service.as(null).get('/keys', { headers: { authorization } });
        expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      },
    );

    it('are rejected with 403 without the permission of the route', async () => {
      const { key } = await issue(['read']);
      const answer = await service.as(key).post('/query', { query: 'a' });
      expect([answer.status, answer.json()]).toEqual([
        403,
        { detail: 'The API key lacks the permission "query"' },
      ]);
      expect((await service.as(key).get('/keys')).status).toBe(403);
      expect((await service.as(key).post('/retrieve/chunks/grouped', { query: 'a' })).status).toBe(200);
    });

    it('are rejected after they expire', async () => {
      const { key } = await issue(['read'], { expires_in: 1 });
      const expired = async () =>
        (await service.as(key).post('/retrieve/chunks', { query: 'a' })).status === 401;
      await until('the key expires', expired);
      const answer = await service.as(key).post('/retrieve/chunks', { query: 'a' });
      expect((answer.json() as { detail: string }).detail).toMatch(/expired|revoked/);
    });

    it('are rejected after they are revoked', async () => {
      const { id, key } = await issue(['read']);
      expect((await service.as(key).post('/retrieve/chunks', { query: 'a' })).status).toBe(200);
      expect((await service.client.delete(`/keys/${id}`)).json()).toEqual({
        status: 'success',
        message: `Key ${id} revoked`,
      });
      const search = () => service.as(key).post('/retrieve/chunks', { query: 'a' });
      await until('the key is refused', async () => (await search()).status === 401);
    });

    it('are listed without secrets, for the own tenant only', async () => {
      const { id, key } = await issue(['read'], { app_id: 'acme' });
      const admin = await issue(['admin'], { app_id: 'acme' });
      const list = (await service.as(admin.key).get('/keys')).json() as Record<string, unknown>[];
      expect(list.map((one) => one['id']).sort()).toEqual([id, admin.id].sort());
      expect(JSON.stringify(list)).not.toContain(key.split('.')[2]);
      expect((await service.client.get('/keys')).text).not.toContain(id);
      expect((await service.client.delete(`/keys/${id}`)).status).toBe(404);
    });

    it('of a tenant cannot create keys for others', async () => {
      const { key } = await issue(['admin'], { app_id: 'acme' });
      const answer = await service.as(key).post('/keys', { name: 'x', scopes: ['read'], app_id: 'other' });
      expect(answer.status).toBe(403);
    });

    it('with write permission only return the record they changed, and cannot read', async () => {
      const text = await service.client.post('/ingest/text', { content: 'A text.', metadata: { a: 1 } });
      const { external_id: id } = text.json() as { external_id: string };
      const { key } = await issue(['write']);
      const updated = await service.as(key).post(`/documents/${id}/update_metadata`, { b: 2 });
      expect([updated.status, updated.json()]).toEqual([
        200,
        expect.objectContaining({ metadata: expect.objectContaining({ a: 1, b: 2 }) as unknown }),
      ]);
      expect(updated.text).not.toContain('A text.');
      expect((await service.as(key).get(`/documents/${id}`)).status).toBe(403);
    });

    it('are never logged', async () => {
      const { key } = await issue(['read']);
      await service.as(key).get('/keys', { headers: { 'x-request-id': 'with-a-key' } });
      await service.printed('"request_id":"with-a-key"');
      expect(service.output).not.toContain(key);
      expect(service.output).not.toContain(service.adminKey);
    });
  });

  it('logs the route of a request, without names in its path', async () => {
    const headers = { 'x-request-id': 'with-a-name' };
    await service.client.get('/documents/filename/my-testament.pdf', { headers });
    await service.printed('"request_id":"with-a-name"');
    const line = service.output.split('\n').find((text) => text.includes('with-a-name'));
    expect(JSON.parse(line ?? '')).toMatchObject({ route: '/documents/filename/:filename', status: 404 });
    expect(service.output).not.toContain('testament');
  });

  describe('the request id', () => {
    it("is the caller's on every kind of response, and in the log", async () => {
      for (const [method, path, key] of [
        ['GET', '/ping', null],
        ['GET', '/nowhere', null],
        ['GET', '/keys', null],
        ['POST', '/query', service.adminKey],
        ['OPTIONS', '/query', null],
      ] as const) {
        const id = `e2e~${method}${path}`;
        const answer = await service.as(key).call(method, path, { headers: { 'x-request-id': id } });
        expect(answer.headers.get('x-request-id')).toBe(id);
        await service.printed(`"request_id":"${id}"`);
      }
    });

    it.each(['x'.repeat(129), 'with space'])('is generated instead of %s', async (given) => {
      const answer = await service.as(null).get('/ping', { headers: { 'x-request-id': given } });
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    });
  });

  describe('errors', () => {
    it.each(['GET', 'POST', 'DELETE', 'PUT'])('answer an unknown route on %s with 404', async (method) => {
      const answer = await service.client.call(method, '/no/such/route');
      expect([answer.status, answer.json()]).toEqual([404, { detail: 'Not Found' }]);
    });

    it('answer a malformed URL with 400', async () => {
      const answer = await service.client.get('/documents/%ZZ');
      expect([answer.status, answer.json()]).toEqual([400, { detail: 'The request is malformed' }]);
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    });

    it('answer a body over the limit with 413', async () => {
      const answer = await service.client.post('/query', { query: 'x'.repeat(MEGABYTE) });
      expect([answer.status, answer.json()]).toEqual([413, { detail: 'The request body is too large' }]);
    });

    it('answer a wrong content type with 415', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
        const answer = await service.client.post('/query', '{"query":"a"}', {
          headers: { 'content-type': type },
        });
        expect([type, answer.status]).toEqual([type, 415]);
      }
      const form = new FormData();
      form.set('query', 'a');
      expect((await service.client.post('/query', form)).status).toBe(415);
      expect((await service.client.post('/ingest/file', { file: 'a' })).status).toBe(415);
    });

    it('answer malformed JSON with its position', async () => {
      const answer = await service.client.post('/query', '{"query": }');
      expect([answer.status, answer.json()]).toEqual([
        422,
        { detail: [{ loc: ['body', 10], msg: 'JSON decode error', type: 'json_invalid' }] },
      ]);
    });

    it('answer a missing body with its location', async () => {
      for (const path of ['/query', '/retrieve/chunks/grouped', `/documents/${UNKNOWN_ID}/update_text`]) {
        const answer = await service.client.call('POST', path, {
          headers: { 'content-type': 'application/json' },
        });
        expect([answer.status, answer.json()]).toEqual([
          422,
          { detail: [{ loc: ['body'], msg: 'Field required', type: 'missing' }] },
        ]);
      }
    });

    it('do not occur for an empty JSON body on routes without one', async () => {
      const headers = { 'content-type': 'application/json' };
      expect((await service.client.get('/keys', { headers })).status).toBe(200);
      expect((await service.client.delete(`/keys/${UNKNOWN_ID}`, { headers })).json()).toEqual({
        detail: 'Key not found',
      });
    });
  });

  describe.each([
    ['/retrieve/chunks/grouped', INVALID_RETRIEVALS],
    ['/query', [...INVALID_RETRIEVALS, ...INVALID_QUERIES]],
    [`/documents/${UNKNOWN_ID}/update_text`, INVALID_UPDATES],
  ])('POST %s', (path, cases) => {
    it.each(cases)('rejects $why', async ({ body, items }) => {
      const answer = await service.client.post(path, JSON.stringify(body));
      expect([answer.status, (answer.json() as { detail: InvalidItem[] }).detail]).toEqual([422, items]);
    });
  });

  it('reports the location of an invalid query parameter', async () => {
    const answer = await service.client.post(`/documents/${UNKNOWN_ID}/update_text?update_strategy=prepend`, {
      content: 'a',
    });
    expect([answer.status, answer.json()]).toEqual([
      422,
      {
        detail: [
          { loc: ['query', 'update_strategy'], msg: "Input should be 'add' or 'replace'", type: 'enum' },
        ],
      },
    ]);
  });

  it('allows CORS for the configured origins only', async () => {
    const preflight = (origin: string) =>
      service.as(null).call('OPTIONS', '/query', {
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const allowed = await preflight('https://app.example');
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'https://app.example',
    ]);
    expect((await preflight('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
  });

  it('allows every API method with CORS', async () => {
    const methods = new Set((await operations()).map(({ method }) => method));
    expect([...methods]).toEqual(expect.arrayContaining(['GET', 'POST', 'PATCH', 'DELETE']));
    for (const method of methods) {
      const { headers } = await service.as(null).call('OPTIONS', '/documents', {
        headers: { origin: 'https://app.example', 'access-control-request-method': method },
      });
      expect(headers.get('access-control-allow-methods')?.split(', ')).toContain(method);
    }
  });

  it('exposes response headers with CORS', async () => {
    const { headers } = await service.client.get('/documents/none/file', {
      headers: { origin: 'https://app.example' },
    });
    expect(headers.get('access-control-expose-headers')?.split(', ').sort()).toEqual([
      'Content-Disposition',
      'ETag',
      'Idempotency-Replayed',
      'Lectern-Ignored',
      'Link',
      'Preference-Applied',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'Retry-After',
      'Server-Timing',
      'WWW-Authenticate',
      'X-Request-Id',
      'X-Should-Retry',
    ]);
  });

  it('returns Server-Timing for retrieval and completion', async () => {
    for (const path of ['/retrieve/chunks/grouped', '/query']) {
      const answer = await service.client.post(path, { query: 'a' });
      expect(answer.headers.get('server-timing')).toMatch(/^(\w+;dur=\d+\.\d, )*total;dur=\d+\.\d$/);
    }
  });

  it('serves documentation with bearer authentication', async () => {
    const page = await service.as(null).get('/docs');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html']);
    const document = (await service.as(null).get('/openapi.json')).json() as {
      components: { securitySchemes: object };
    };
    expect(document.components.securitySchemes).toMatchObject({ bearer: { type: 'http', scheme: 'bearer' } });
  });

  it('sends security headers: no framing, no third-party resources', async () => {
    for (const path of ['/', '/docs', '/docs/swagger-ui-init.js']) {
      const { status, headers } = await service.as(null).get(path);
      expect([path, status, headers.get('x-frame-options')]).toEqual([path, 200, 'DENY']);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'self'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
    }
  });

  // A folder path may end in any word, so GET, PATCH and DELETE are allowed on it.
  it.each([
    ['POST', '/folders/a/b/summary', 'DELETE, GET, HEAD, PATCH, PUT'],
    ['PUT', '/folders/a/b/move', 'DELETE, GET, HEAD, PATCH, POST'],
    ['PUT', '/folders/a/b/documents/1', 'DELETE, GET, HEAD, PATCH, POST'],
    ['PUT', '/documents/1/status', 'GET, HEAD'],
  ])('returns Allow for %s %s', async (method, path, allowed) => {
    const answer = await service.client.call(method, path);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed]);
  });

  it('removes bidirectional controls from file names', async () => {
    const name = 'invoice\u202Efdp.exe';
    const text = await service.client.post('/ingest/text', { content: 'A text.', filename: `\u2066${name}` });
    const form = new FormData();
    form.append('file', new Blob(['A text.']), name);
    const file = await service.client.post('/ingest/file', form);
    for (const answer of [text, file]) {
      expect([answer.status, answer.json()]).toEqual([
        200,
        expect.objectContaining({ filename: 'invoicefdp.exe' }),
      ]);
    }
    const empty = await service.client.post('/ingest/text', { content: 'A text.', filename: '\u202E' });
    expect([empty.status, (empty.json() as { detail: InvalidItem[] }).detail[0]?.loc]).toEqual([
      422,
      ['body', 'filename'],
    ]);
  });

  it('reports the health of its components', async () => {
    const { report } = await settledHealth(service.as(null));
    expect(report.status).toBe('healthy');
    expect(report.services.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['database', 'pgvector', 'indexes', 'embedder', 'llm', 'queue']),
    );
    for (const { status, response_time_ms } of report.services) {
      expect(status).toBe('healthy');
      expect(response_time_ms).toBeGreaterThanOrEqual(0);
    }
  });
});
