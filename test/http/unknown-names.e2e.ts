import type { Answer } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

const STRICT = { headers: { prefer: 'respond-async, handling=strict' } };

describe('an unknown member or parameter', () => {
  let service: SharedService;
  let application: ReturnType<SharedService['as']>;

  const locsIn = (answer: Answer): string[] => {
    const { detail } = answer.json() as { detail?: readonly { loc: readonly string[]; msg: string }[] };
    return (detail ?? []).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
  };

  beforeAll(async () => {
    service = await SharedService.enter();
    const made = await service.client.post('/keys', { name: 'app', scopes: ['read', 'query', 'write'] });
    application = service.as((made.json() as { key: string }).key);
    await new Documents(() => service.client).ingestText('The lamp is lit.', {
      filename: 'lamp.txt',
      folder_name: '/harbour',
      metadata: { kind: 'log' },
    });
  });
  afterAll(() => service.stop());

  it.each<[string, string, object, string]>([
    ['POST', '/retrieve/chunks', { query: 'lamp', filter: {} }, 'body.filter: .*"filters"'],
    ['POST', '/retrieve/docs', { query: 'lamp', top_k: 3 }, 'body.top_k: .*"k"'],
    ['POST', '/retrieve/chunks/grouped', { query: 'lamp', folder: '/x' }, 'body.folder: .*"folder_name"'],
    ['POST', '/query', { query: 'lamp', document_filters: {} }, 'body.document_filters: .*"filters"'],
    ['POST', '/query?folder_name=/x', { query: 'lamp' }, 'query.folder_name: .*belongs into the body'],
    ['POST', '/query?end_user_id=ann', { query: 'lamp' }, 'query.end_user_id: .*belongs into the body'],
    ['POST', '/documents?folder=/x', {}, 'query.folder: .*"folder_name"'],
    ['POST', '/documents', { filter: {} }, 'body.filter: .*"filters"'],
    ['POST', '/documents', { endUserId: 'ann' }, 'body.endUserId: .*"end_user_id"'],
    ['POST', '/batch/chunks', { sources: [], filters: {} }, 'body.filters: .*does not select'],
    ['POST', '/query', { query: 'lamp', document_id: 'x' }, 'body.document_id: .*use "filters"'],
    ['POST', '/query?document_id=x', { query: 'lamp' }, 'query.document_id: .*use "filters"'],
    ['POST', '/documents', { filename: 'lamp.txt' }, 'body.filename: .*use "filters"'],
    ['GET', '/metadata/fields?external_id=x', {}, 'query.external_id: .*use "filters"'],
    ['GET', '/suggestions?folder=/x', {}, 'query.folder: .*"folder_name"'],
    ['GET', '/chats?user_id=ann', {}, 'query.user_id: .*"end_user_id"'],
    ['POST', '/ingest/text', { content: 'x', folder: '/x' }, 'body.folder: .*"folder_name"'],
    ['POST', '/search/documents', { query: 'lamp', top_k: 3 }, 'body.top_k: .*"limit"'],
  ])('%s %s %j is a 422 that names it', async (method, path, body, expected) => {
    const answer = await application.call(method, path, method === 'GET' ? {} : { body });
    expect([answer.status, locsIn(answer)]).toEqual([422, [expect.stringMatching(expected)]]);
  });

  it('is reported together with the other errors of the request', async () => {
    const answer = await application.post('/retrieve/chunks?folder=/x', { query: 'lamp', k: 0, filter: {} });
    expect(locsIn(answer)).toEqual([
      expect.stringMatching('body.k'),
      expect.stringMatching('body.filter'),
      expect.stringMatching('query.folder'),
    ]);
  });

  it('that means nothing is ignored, and named in a header, in a stream too', async () => {
    const body = { query: 'lamp', graph_name: 'g', hop_depth: 2, 'x\r\ny': 1 };
    for (const more of [{}, { stream_response: true }]) {
      const answer = await application.post('/query?verbose=1', { ...body, ...more });
      expect([answer.status, answer.headers.get('lectern-ignored')]).toEqual([
        200,
        'graph_name, hop_depth, x??y, verbose',
      ]);
    }
    const known = await application.post('/retrieve/chunks', { query: 'lamp' });
    expect(known.headers.get('lectern-ignored')).toBeNull();
  });

  it('is refused if the caller is strict, whatever it is', async () => {
    const body = { query: 'lamp', graph_name: 'g' };
    const answer = await application.post('/retrieve/chunks?verbose=1', body, STRICT);
    expect(locsIn(answer)).toEqual([
      expect.stringMatching('body.graph_name'),
      expect.stringMatching('query.verbose'),
    ]);
    expect(answer.headers.get('preference-applied')).toBe('handling=strict');
    const fine = await application.post('/retrieve/chunks', { query: 'lamp' }, STRICT);
    expect([fine.status, fine.headers.get('preference-applied')]).toEqual([200, 'handling=strict']);
  });

  it('of a form is judged like one of JSON', async () => {
    const formOf = (name: string): FormData => {
      const form = new FormData();
      form.append('file', new Blob(['The lamp.']), 'a.txt');
      form.append(name, 'x');
      return form;
    };
    const refused = await application.post('/ingest/file', formOf('folder'));
    expect(locsIn(refused)).toEqual([expect.stringMatching('body.folder: .*"folder_name"')]);
    const ignored = await application.post('/ingest/file', formOf('parallel'));
    expect([ignored.status, ignored.headers.get('lectern-ignored')]).toEqual([200, 'parallel']);
    const strict = await application.post('/ingest/file', formOf('parallel'), STRICT);
    expect(locsIn(strict)).toEqual([expect.stringMatching('body.parallel')]);
  });

  it('of the OpenAI protocol is ignored, but a misspelt filter is not', async () => {
    const body = { model: 'lectern', messages: [{ role: 'user', content: 'lamp' }] };
    const sdk = { user: 'u', store: false, service_tier: 'auto', top_k: 5, seed: 1, top_p: 0.5, k: 2 };
    const answer = await application.post('/v1/chat/completions', { ...body, ...sdk });
    expect([answer.status, answer.headers.get('lectern-ignored')]).toEqual([
      200,
      'user, store, service_tier, top_k',
    ]);
    const refused = await application.post('/v1/chat/completions', { ...body, filter: {} });
    expect(refused.status).toBe(400);
    expect(refused.json()).toMatchObject({ error: { param: 'filter', code: 'unknown_parameter' } });
  });

  it('of a tool of MCP is named to the model', async () => {
    const call = { name: 'search', arguments: { query: 'lamp', folder: '/x' } };
    const answer = await application.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
      { headers: { accept: 'application/json, text/event-stream' } },
    );
    expect(answer.text).toContain('arguments.folder: Extra inputs are not permitted');
  });

  it('that says for whom an application acts is known at every route', async () => {
    const acting = await application.get('/chats?end_user_id=ann&groups=none');
    expect([acting.status, acting.headers.get('lectern-ignored')]).toEqual([200, null]);
    const query = await application.post('/query?end_user_id=ann&groups=none', { query: 'lamp' });
    expect(query.status).toBe(200);
  });

  it('need not be guessed in listings: filters, folders and end users have the names of searches', async () => {
    const namesOf = async (body: object, query = ''): Promise<number> => {
      const answer = await application.post(`/documents${query}`, { ...body, include_total_count: true });
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
      return (answer.json() as { total_count: number }).total_count;
    };
    for (const kind of ['log', 'other']) {
      const expected = kind === 'log' ? 1 : 0;
      expect(await namesOf({ filters: { kind } })).toBe(expected);
      expect(await namesOf({ document_filters: { kind } })).toBe(expected);
    }
    expect(await namesOf({ folder_name: '/harbour' })).toBe(1);
    expect(await namesOf({ folder_name: '/elsewhere' })).toBe(0);
    expect(await namesOf({ folder_name: '/', folder_depth: -1, filters: { kind: 'log' } })).toBe(1);
    expect(await namesOf({ end_user_id: 'ann' })).toBe(0);
    expect(await namesOf({}, '?folder_name=/elsewhere')).toBe(0);
    const both = await application.post('/documents', {
      filters: { kind: 'log' },
      document_filters: { kind: 'log' },
    });
    expect(locsIn(both)).toEqual([expect.stringMatching('body.document_filters')]);
    const twice = await application.post('/documents?folder_name=/a', { folder_name: '/b' });
    expect(locsIn(twice)).toEqual([expect.stringMatching('query.folder_name')]);
  });
});
