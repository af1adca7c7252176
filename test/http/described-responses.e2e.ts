import { describedOperations, unforeseen } from '../support/described-answer.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

const OPERATIONS = describedOperations();
const named = (operations: typeof OPERATIONS) =>
  operations.map(({ method, path }) => [`${method} ${path}`, method, path] as const);

describe('responses in the OpenAPI document', () => {
  let service: SharedService;
  let documentId: string;
  beforeAll(async () => {
    service = await SharedService.enter();
    documentId = (await new Documents(() => service.client).ingestText('The ferry leaves at nine.'))
      .external_id;
  });
  afterAll(() => service.stop());

  it.each(named(OPERATIONS.filter(({ path }) => path.includes('{'))))(
    'match for %s with a malformed path',
    async (_name, method, path) => {
      const answer = await service.client.call(method, path.replace(/\{\w+\}/, '%ZZ'));
      expect([answer.status, unforeseen(method, path, answer)]).toEqual([400, []]);
    },
  );

  it.each(['/ingest/file', '/ingest/files', '/documents/{document_id}/update_file'])(
    'match for POST %s with a body that is no form, and without a body',
    async (path) => {
      const call = path.replace('{document_id}', documentId);
      const bodies = [
        {},
        { body: 'words', headers: { 'content-type': 'text/plain' } },
        { headers: { 'content-type': 'multipart/form-data' } },
      ];
      const statuses: number[] = [];
      for (const body of bodies) {
        const answer = await service.client.call('POST', call, body);
        expect(unforeseen('POST', path, answer)).toEqual([]);
        statuses.push(answer.status);
      }
      expect(statuses).toEqual([415, 415, 400]);
    },
  );

  it.each([
    ['/query', { query: 'When does the ferry leave?', stream_response: true }],
    [
      '/v1/chat/completions',
      {
        model: 'lectern',
        messages: [{ role: 'user', content: 'When does the ferry leave?' }],
        stream: true,
      },
    ],
  ])('match a stream of POST %s', async (path, body) => {
    const answer = await service.client.post(path, body);
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect([answer.status, unforeseen('POST', path, answer)]).toEqual([200, []]);
  });

  it('match a file, a range of it, and a 304', async () => {
    const path = '/documents/{document_id}/file';
    const get = async (headers: Readonly<Record<string, string>>) => {
      const answer = await service.client.get(path.replace('{document_id}', documentId), { headers });
      return { answer, found: [answer.status, unforeseen('GET', path, answer)] };
    };
    const { answer, found } = await get({});
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(found).toEqual([200, []]);
    expect((await get({ range: 'bytes=0-3' })).found).toEqual([206, []]);
    expect((await get({ range: 'bytes=999-' })).found).toEqual([416, []]);
    const tag = answer.headers.get('etag') ?? '';
    expect((await get({ 'if-none-match': tag })).answer.status).toBe(304);
    expect(unforeseen('GET', path, (await get({ 'if-none-match': tag })).answer)).toEqual([]);
  });

  it('match the 304 of a record and of a list that did not change', async () => {
    for (const path of ['/documents/{document_id}', '/folders', '/v1/files']) {
      const get = (headers: Readonly<Record<string, string>> = {}) =>
        service.client.get(path.replace('{document_id}', documentId), { headers });
      const tag = (await get()).headers.get('etag') ?? '';
      const same = await get({ 'if-none-match': tag });
      expect([path, same.status, same.text, unforeseen('GET', path, same)]).toEqual([path, 304, '', []]);
    }
  });

  it('do not say "not modified" to a caller who may no longer read the document', async () => {
    const { key } = (
      await service.client.post('/keys', { name: 'ann', scopes: ['read'], end_user_id: 'ann' })
    ).json() as { readonly key: string };
    const ann = service.as(key);
    const path = `/documents/${documentId}`;
    const tag = (await ann.get(path)).headers.get('etag') ?? '';
    expect((await ann.get(path, { headers: { 'if-none-match': tag } })).status).toBe(304);
    await service.client.call('PATCH', path, { body: { end_user_id: 'bob' } });
    expect((await ann.get(path, { headers: { 'if-none-match': tag } })).status).toBe(404);
  });
});
