import type { Client } from '../../support/client.js';
import { Documents } from '../../support/documents.js';
import { FakeProvider } from '../../support/fake-provider/fake-provider.js';
import { Service } from '../../support/service.js';
import { until } from '../../support/until.js';

interface Entry {
  readonly timestamp: string;
  readonly user_id: string;
  readonly operation_type: string;
  readonly status: string;
  readonly tokens_used: number;
  readonly duration_ms: number;
  readonly app_id: string;
  readonly metadata: { readonly status_code: number; readonly request_id: string };
  readonly error: string | null;
}

interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

const SECRET_QUESTION = 'When does the secret heron fish?';

describe('usage and operation log of a tenant', () => {
  let provider: FakeProvider;
  let service: Service;
  let acme: Client;
  let key: IssuedKey;
  beforeAll(async () => {
    provider = await FakeProvider.start();
    service = await Service.start({
      LLM_MODEL: 'hosted_vllm/plain',
      LLM_API_BASE: provider.url,
      LLM_API_KEY: 'sk-of-the-service',
    });
    key = (
      await service.client.post('/keys', { name: 'a', scopes: ['admin'], app_id: 'acme' })
    ).json() as IssuedKey;
    acme = service.as(key.key);
  });
  afterAll(async () => {
    await service.stop();
    await provider.close();
  });

  const logs = async (client: Client, query = ''): Promise<Entry[]> => {
    const answer = await client.get(`/logs/${query}`);
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return answer.json() as Entry[];
  };
  /** An entry is written when the connection of its request is done, shortly after the response. */
  const entryOf = (client: Client, requestId: string): Promise<Entry> =>
    until('the request is logged', async () =>
      (await logs(client)).find(({ metadata }) => metadata.request_id === requestId),
    );
  const storage = async (client: Client): Promise<Record<string, unknown>> =>
    (await client.get('/usage/app-storage')).json() as Record<string, unknown>;

  describe('the operation log', () => {
    it('contains operation, key, outcome and duration', async () => {
      await new Documents(() => acme).ingestText('Herons fish at dawn.');
      const headers = { 'x-request-id': 'a-query' };
      await acme.post('/query', { query: SECRET_QUESTION }, { headers });
      const entry = await entryOf(acme, 'a-query');
      expect(entry).toEqual({
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as unknown,
        user_id: key.id,
        operation_type: 'query',
        status: 'success',
        tokens_used: expect.any(Number) as unknown,
        duration_ms: expect.any(Number) as unknown,
        app_id: 'acme',
        metadata: { status_code: 200, request_id: 'a-query' },
        error: null,
      });
      expect(entry.tokens_used).toBeGreaterThan(0);
      expect(entry.duration_ms).toBeGreaterThan(0);
      expect(Math.abs(Date.now() - Date.parse(entry.timestamp))).toBeLessThan(60_000);
    });

    it('counts the tokens of a streamed answer', async () => {
      const headers = { 'x-request-id': 'a-stream' };
      await acme.post('/query', { query: SECRET_QUESTION, stream_response: true }, { headers });
      expect((await entryOf(acme, 'a-stream')).tokens_used).toBeGreaterThan(0);
    });

    it('contains failures without the question', async () => {
      const headers = { 'x-request-id': 'a-failure' };
      await acme.post('/query', { query: SECRET_QUESTION, k: 0 }, { headers });
      expect(await entryOf(acme, 'a-failure')).toMatchObject({
        operation_type: 'query',
        status: 'error',
        error: 'HTTP 422',
        tokens_used: 0,
        metadata: { status_code: 422 },
      });
      const { text } = await acme.get('/logs?limit=500');
      expect(text).not.toContain('heron');
      expect(text).not.toContain(key.key);
    });

    it('contains no caller paths and no read-only requests', async () => {
      const headers = { 'x-request-id': 'a-deletion' };
      await acme.get('/documents/0198c0de-0000-7000-8000-00000000abcd');
      await acme.delete('/documents/0198c0de-0000-7000-8000-00000000abcd', { headers });
      expect((await entryOf(acme, 'a-deletion')).operation_type).toBe('delete_document');
      const { text } = await acme.get('/logs?limit=500');
      expect(text).not.toContain('abcd');
      expect((await logs(acme)).map((one) => one.operation_type)).not.toContain('get_logs');
    });

    it('is filtered by type, status, number and age, newest first', async () => {
      expect(new Set((await logs(acme, '?op_type=query')).map((one) => one.operation_type))).toEqual(
        new Set(['query']),
      );
      expect((await logs(acme, '?status=error')).every((one) => one.status === 'error')).toBe(true);
      expect(await logs(acme, '?op_type=nothing')).toEqual([]);
      const newest = await logs(acme, '?limit=2&hours=0.1');
      expect(newest).toHaveLength(2);
      expect(newest).toEqual((await logs(acme, '?limit=500&hours=168')).slice(0, 2));
    });

    it.each([
      ['limit=0', 'limit', 'greater_than_equal'],
      ['limit=501', 'limit', 'less_than_equal'],
      ['hours=0', 'hours', 'greater_than_equal'],
      ['hours=169', 'hours', 'less_than_equal'],
      ['hours=x', 'hours', 'float_type'],
      ['status=maybe', 'status', 'enum'],
    ])('rejects %s', async (query, member, type) => {
      const answer = await acme.get(`/logs?${query}`);
      expect([answer.status, (answer.json() as { detail: object[] }).detail]).toEqual([
        422,
        [expect.objectContaining({ loc: ['query', member], type })],
      ]);
    });

    it('is for administrators, per tenant', async () => {
      const reader = (await acme.post('/keys', { name: 'r', scopes: ['read'] })).json() as IssuedKey;
      expect((await service.as(reader.key).get('/logs')).status).toBe(403);
      expect((await logs(service.client)).every((one) => one.app_id === 'default')).toBe(true);
    });
  });

  describe('the usage', () => {
    it('counts files, texts, vectors and page images, and decreases after deletion', async () => {
      const before = await storage(service.client);
      expect(before).toEqual({
        app_id: 'default',
        doc_raw_bytes_mb: 0,
        chunk_raw_bytes_mb: 0,
        multivector_mb: 0,
        total_mb: 0,
        document_count: 0,
      });
      const documents = new Documents(() => service.client);
      const bytes = Buffer.from('Herons fish at dawn, and rest at noon. '.repeat(20_000));
      const record = await documents.ingestFile('herons.txt', bytes);
      const after = (await storage(service.client)) as Record<string, number>;
      const megabytes = bytes.length / 1_048_576;
      // The file and its extracted text.
      expect(after['doc_raw_bytes_mb']).toBeCloseTo(2 * megabytes, 1);
      const vectors = (record.system_metadata.chunk_count * (2 * 384 + 8)) / 1_048_576;
      expect(after['chunk_raw_bytes_mb']).toBeCloseTo(megabytes + vectors, 1);
      expect(after['multivector_mb']).toBe(0);
      expect(after['document_count']).toBe(1);
      const parts = ['doc_raw_bytes_mb', 'chunk_raw_bytes_mb', 'multivector_mb'];
      const sum = parts.reduce((total, part) => total + (after[part] ?? 0), 0);
      expect(Math.abs((after['total_mb'] ?? 0) - sum)).toBeLessThan(0.001);
      expect(await storage(acme)).toMatchObject({ app_id: 'acme', document_count: 1 });
      await service.client.delete(`/documents/${record.external_id}`);
      expect(await storage(service.client)).toEqual(before);
    });

    it('needs read permission', async () => {
      const reader = (await acme.post('/keys', { name: 'r', scopes: ['read'] })).json() as IssuedKey;
      expect(await storage(service.as(reader.key))).toMatchObject({ app_id: 'acme' });
    });
  });

  it('is flushed at shutdown', async () => {
    const headers = { 'x-request-id': 'the-last' };
    await acme.post('/documents', {}, { headers });
    await service.terminate();
    await service.restart();
    acme = service.as(key.key);
    expect((await logs(acme)).map(({ metadata }) => metadata.request_id)).toContain('the-last');
  });
});
