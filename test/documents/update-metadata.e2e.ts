import { Documents, type DocumentRecord } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

const WRITERS = 50;

describe('updating the metadata of a document', () => {
  let service: SharedService;
  let documents: Documents;
  const update = (id: string, body: unknown) => service.client.post(`/documents/${id}/update_metadata`, body);

  beforeAll(async () => {
    // Fifty writers wait for one row.
    service = await SharedService.enter();
    documents = new Documents(() => service.client);
  });
  afterAll(() => service.stop());

  it('merges by key, visible to filters and in chunks', async () => {
    const { external_id: id } = await documents.ingestText('Gannets nest on the stack.', {
      metadata: { a: { x: 1 }, b: 2, big: 1 },
    });
    const answer = await service.client.post(
      `/documents/${id}/update_metadata`,
      '{"metadata":{"a":{"y":2},"b":null,"c":[1],"big":9007199254740993,"since":"2026-03-01"},"metadata_types":{"since":"date"}}',
    );
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('9007199254740993');
    const record = answer.json() as DocumentRecord;
    expect(record).toMatchObject({
      metadata: { a: { y: 2 }, b: null, c: [1], since: '2026-03-01' },
      metadata_types: { since: 'date', c: 'array' },
      system_metadata: {
        status: 'completed',
        version: 2,
        update_history: [{ version: 2, strategy: 'metadata', metadata_updated: true }],
      },
    });
    expect(await documents.record(id)).toEqual(record);
    const [chunk] = await documents.retrieve({
      query: 'gannets',
      filters: { external_id: id, since: { $lt: '2026-03-02T00:00:00Z' } },
    });
    expect(chunk?.metadata).toMatchObject({ a: { y: 2 }, b: null, c: [1], since: '2026-03-01' });
    expect(await documents.retrieve({ query: 'gannets', filters: { external_id: id, b: 2 } })).toEqual([]);
  });

  it('accepts a bare object', async () => {
    const { external_id: id } = await documents.ingestText('Bare.');
    expect((await update(id, { reviewed: true })).json()).toMatchObject({ metadata: { reviewed: true } });
    const wrong = await service.client.post(`/documents/${id}/update_metadata`, { a: 'x\0' });
    expect(wrong.json()).toMatchObject({ detail: [{ loc: ['body', 'a'], type: 'value_error' }] });
  });

  it('converts stored values by types alone, or changes nothing', async () => {
    const { external_id: id } = await documents.ingestText('Retyped.', {
      metadata: { done: 'yes', due: 1_704_110_400, size: ' 12 ', name: 'seal' },
    });
    const refused = await update(id, { metadata_types: { done: 'boolean', name: 'number' } });
    expect([refused.status, refused.json()]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'metadata_types', 'name'], type: 'value_error' }] },
    ]);
    expect((await documents.get(id)).metadata).toMatchObject({ done: 'yes' });
    const types = { done: 'bool', due: 'datetime', size: 'int', unknown: 'date' };
    expect((await update(id, { metadata_types: types })).json()).toMatchObject({
      metadata: { done: true, due: '2024-01-01T12:00:00Z', size: 12, name: 'seal' },
      metadata_types: { done: 'boolean', due: 'datetime', size: 'number', name: 'string' },
    });
    const filters = { external_id: id, due: { $gt: '2024-01-01T11:59:59Z' }, size: { $gte: 12 }, done: true };
    expect(await documents.retrieve({ query: 'retyped', filters })).toHaveLength(1);
  });

  it.each([
    ['no body', undefined, ['body'], 'missing'],
    ['a list', [], ['body'], 'dict_type'],
    ['metadata that is a text', { metadata: 'x' }, ['body', 'metadata'], 'dict_type'],
    [
      'an unknown type',
      { metadata: { a: 1 }, metadata_types: { a: 'colour' } },
      ['body', 'metadata_types', 'a'],
      'value_error',
    ],
    [
      'a value of another type',
      { metadata: { a: 'x' }, metadata_types: { a: 'number' } },
      ['body', 'metadata', 'a'],
      'value_error',
    ],
  ])('rejects %s', async (_why, body, loc, type) => {
    const answer = await update('00000000-0000-4000-8000-000000000000', body);
    expect([answer.status, answer.json()]).toMatchObject([422, { detail: [{ loc, type }] }]);
  });

  it('keeps the declared type of a matching value', async () => {
    const { external_id: id } = await documents.ingestText('Typed.', {
      metadata: { price: '1.10' },
      metadata_types: { price: 'decimal' },
    });
    expect((await update(id, { price: 2.5 })).json()).toMatchObject({
      metadata: { price: '2.5' },
      metadata_types: { price: 'decimal' },
    });
  });

  it('accepts unchanged reserved keys and rejects changed ones', async () => {
    const { external_id: id } = await documents.ingestText('Shown.', {
      folder_name: '/shown',
      filename: 'a.txt',
    });
    const record = await documents.get(id);
    const shown = { ...record.metadata, filename: 'a.txt', folder_path: '/shown', end_user_id: null };
    const back = await update(id, { metadata: { ...shown, more: 1 } });
    expect([back.status, (back.json() as DocumentRecord).metadata]).toEqual([
      200,
      { ...record.metadata, more: 1 },
    ]);
    for (const [key, value] of [
      ['folder_name', '/other'],
      ['filename', 'b.txt'],
      ['end_user_id', 'ann'],
      ['app_id', 'other'],
    ] as const) {
      expect((await update(id, { metadata: { [key]: value } })).json()).toMatchObject({
        detail: [{ loc: ['body', 'metadata', key], type: 'value_error' }],
      });
      expect((await update(id, { [key]: value })).json()).toMatchObject({ detail: [{ loc: ['body', key] }] });
    }
    expect((await documents.get(id)).metadata).toEqual({ ...record.metadata, more: 1 });
  });

  it(`loses none of ${WRITERS} keys that are written at once, beside text updates`, async () => {
    const { external_id: id } = await documents.ingestText('Crowded.', { metadata: { first: 0 } });
    const keys = Array.from({ length: WRITERS }, (_, n) => `key ${n}`);
    const answers = await Promise.all([
      ...keys.map((key, n) => update(id, n % 2 === 0 ? { [key]: n } : { metadata: { [key]: n } })),
      ...[1, 2, 3].map((n) =>
        service.client.post(`/documents/${id}/update_text`, {
          content: `Addition ${n}.`,
          metadata: { [`text ${n}`]: n },
        }),
      ),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { metadata, system_metadata } = await documents.get(id);
    expect(metadata).toMatchObject({
      first: 0,
      ...Object.fromEntries(keys.map((key, n) => [key, n])),
      'text 1': 1,
      'text 2': 2,
      'text 3': 3,
    });
    expect(system_metadata.version).toBe(1 + WRITERS + 3);
    expect(system_metadata.update_history.map(({ version }) => version)).toEqual(
      Array.from({ length: WRITERS + 3 }, (_, n) => n + 2),
    );
    expect(await documents.text(id)).toContain('Addition 3.');
  });

  it('returns 404 for a foreign document as for an unknown one', async () => {
    const { external_id: id } = await documents.ingestText('Not yours.');
    const stranger = service.as(await service.newTenant());
    const [foreign, unknown, odd] = await Promise.all(
      [id, '00000000-0000-4000-8000-000000000000', '..%2f%00'].map((one) =>
        stranger.post(`/documents/${one}/update_metadata`, { a: 1 }),
      ),
    );
    expect([foreign!.status, foreign!.text]).toEqual([404, unknown!.text]);
    expect([odd!.status, odd!.text]).toEqual([404, unknown!.text]);
  });
});
