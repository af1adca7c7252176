import { readFileSync } from 'node:fs';
import { Documents, textOf, type DocumentRecord } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

interface Requeued {
  readonly external_id: string;
  readonly status: string;
}

describe('files of documents', () => {
  let service: SharedService;
  let documents: Documents;

  const form = (name: string, bytes: Uint8Array | string, more: Record<string, string> = {}) => {
    const made = new FormData();
    made.append('file', new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), name);
    for (const [key, value] of Object.entries(more)) made.append(key, value);
    return made;
  };
  const update = (id: string, body: FormData) => service.client.post(`/documents/${id}/update_file`, body);
  const stranger = async () => service.as(await service.newTenant());

  beforeAll(async () => {
    service = await SharedService.enter();
    documents = new Documents(() => service.client);
  });
  afterAll(() => service.stop());

  describe('updating with a file', () => {
    it('replaces the text, keeps the earlier file, and merges metadata', async () => {
      const first = await documents.ingestFile('first.txt', Buffer.from('Herons fish at dawn.'), {
        metadata: '{"a":1,"b":2}',
      });
      const id = first.external_id;
      const answer = await update(
        id,
        form('report.pdf', readFileSync('demo/documents/observatory-annual-report-2025.pdf'), {
          update_strategy: 'replace',
          metadata: '{"b":null,"since":"2026-01-01"}',
          metadata_types: '{"since":"date"}',
        }),
      );
      expect([answer.status, (answer.json() as DocumentRecord).system_metadata.status]).toEqual([
        200,
        'processing',
      ]);
      const record = await documents.settled(id);
      expect(record).toMatchObject({
        filename: 'report.pdf',
        content_type: 'application/pdf',
        metadata: { a: 1, b: null, since: '2026-01-01' },
        metadata_types: { since: 'date' },
        storage_files: [
          { version: 1, filename: 'first.txt' },
          { version: 2, filename: 'report.pdf', content_type: 'application/pdf' },
        ],
        storage_info: { filename: 'report.pdf' },
        system_metadata: {
          status: 'completed',
          version: 2,
          page_count: 4,
          update_history: [
            { version: 2, strategy: 'replace', filename: 'report.pdf', metadata_updated: true },
          ],
        },
      });
      expect(textOf(await documents.chunks(id))).toBe(await documents.text(id));
      expect(await documents.text(id)).not.toContain('Herons');
      const file = await service.client.fetch('GET', `/documents/${id}/file`);
      expect(Buffer.from(await file.arrayBuffer())).toEqual(
        readFileSync('demo/documents/observatory-annual-report-2025.pdf'),
      );
    });

    it('appends by default, with continued page numbers', async () => {
      const { external_id: id } = await documents.ingestText('Before the report.');
      const pdf = readFileSync('demo/documents/observatory-annual-report-2025.pdf');
      await update(id, form('report.pdf', pdf));
      await documents.settled(id);
      await update(id, form('again.pdf', pdf));
      const record = await documents.settled(id);
      expect(record.system_metadata).toMatchObject({ version: 3, page_count: 8 });
      const text = await documents.text(id);
      expect(text.startsWith('Before the report.\n\n')).toBe(true);
      const chunks = await documents.chunks(id);
      expect(textOf(chunks)).toBe(text);
      expect(chunks.at(-1)?.metadata['page_number']).toBe(8);
    });

    it('takes the strategy of the query too, and refuses two', async () => {
      const { external_id: id } = await documents.ingestText('Puffins nest in burrows.');
      const post = (strategy: string, body: FormData) =>
        service.client.post(`/documents/${id}/update_file?update_strategy=${strategy}`, body);
      expect((await post('replace', form('new.txt', 'Terns nest on sand.'))).status).toBe(200);
      await documents.settled(id);
      expect(await documents.text(id)).toBe('Terns nest on sand.');
      for (const [strategy, body] of [
        ['prepend', form('new.txt', 'x')],
        ['replace', form('new.txt', 'x', { update_strategy: 'add' })],
      ] as const) {
        const answer = await post(strategy, body);
        expect([answer.status, answer.json()]).toMatchObject([
          422,
          { detail: [{ loc: ['query', 'update_strategy'] }] },
        ]);
      }
      expect((await post('add', form('new.txt', 'In spring.', { update_strategy: 'add' }))).status).toBe(200);
      await documents.settled(id);
      expect(await documents.text(id)).toBe('Terns nest on sand.\n\nIn spring.');
    });

    it('keeps the current version searchable if the file cannot be parsed, and reports the error', async () => {
      const { external_id: id } = await documents.ingestText('Puffins nest in burrows.', {
        metadata: { a: 1 },
      });
      const answer = await update(
        id,
        form('broken.pdf', '%PDF-1.7 this is cut off', { update_strategy: 'replace', metadata: '{"a":2}' }),
      );
      expect(answer.status).toBe(200);
      expect(await documents.retrieve({ query: 'puffins', filters: { external_id: id } })).toHaveLength(1);
      const record = await documents.settled(id);
      expect(record).toMatchObject({
        filename: `document_${id}.txt`,
        metadata: { a: 1 },
        storage_files: [],
        system_metadata: {
          status: 'completed',
          version: 1,
          error: expect.stringContaining('PDF') as unknown,
          update_history: [],
        },
      });
      expect((await service.client.get(`/documents/${id}/status`)).json()).toMatchObject({
        status: 'completed',
        error: expect.stringContaining('PDF') as unknown,
      });
      expect(await documents.text(id)).toBe('Puffins nest in burrows.');
      await service.client.post(`/documents/${id}/update_text`, { content: 'In turf.' });
      expect((await documents.get(id)).system_metadata).not.toHaveProperty('error');
      expect((await documents.get(id)).system_metadata.version).toBe(2);
    });

    it('recovers a failed document', async () => {
      const { external_id: id } = await documents.ingestFile('broken.pdf', Buffer.from('%PDF-1.7 cut'));
      expect((await documents.get(id)).system_metadata.status).toBe('failed');
      await update(id, form('good.txt', 'Now there are words.'));
      expect((await documents.settled(id)).system_metadata).toMatchObject({
        status: 'completed',
        version: 2,
      });
      expect(await documents.text(id)).toBe('Now there are words.');
    });

    it('is applied after concurrent text updates without losing any', async () => {
      const { external_id: id } = await documents.ingestText('The beginning.');
      const answers = await Promise.all([
        update(id, form('one.txt', 'From file one.')),
        service.client.post(`/documents/${id}/update_text`, { content: 'From text one.' }),
        update(id, form('two.txt', 'From file two.')),
        service.client.post(`/documents/${id}/update_metadata`, { seen: true }),
        service.client.post(`/documents/${id}/update_text`, { content: 'From text two.' }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      const record = await documents.settled(id);
      expect(record.system_metadata).toMatchObject({ status: 'completed', version: 6 });
      expect(record.metadata).toMatchObject({ seen: true });
      const text = await documents.text(id);
      for (const part of ['file one', 'file two', 'text one', 'text two'])
        expect(text).toContain(`From ${part}.`);
      expect(textOf(await documents.chunks(id))).toBe(text);
    });

    it('is applied before every later request', async () => {
      const { external_id: id } = await documents.ingestText('The beginning.');
      const updates = { update_strategy: 'replace', metadata: '{"a":1,"b":1,"c":1}' };
      await update(id, form('second.txt', `Second. ${'Herons fish at dawn. '.repeat(500)}`, updates));
      await service.client.post(`/documents/${id}/update_metadata`, { metadata: { b: 2 } });
      const third = await service.client.post(`/documents/${id}/update_text?update_strategy=replace`, {
        content: 'Third.',
        metadata: { c: 3 },
      });
      expect(third.json()).toMatchObject({
        filename: 'second.txt',
        metadata: { a: 1, b: 2, c: 3 },
        storage_files: [{ version: 3 }],
        system_metadata: {
          status: 'completed',
          update_history: [{ strategy: 'metadata' }, { strategy: 'replace', filename: 'second.txt' }, {}],
        },
      });
      await update(id, form('fourth.txt', 'Fourth.'));
      await service.client.post(`/documents/${id}/update_text`, { content: 'Fifth.' });
      expect(await documents.text(id)).toBe('Third.\n\nFourth.\n\nFifth.');
      expect(textOf(await documents.chunks(id))).toBe('Third.\n\nFourth.\n\nFifth.');
    });

    it.each([
      ['no file', {}, null, ['body', 'file'], 'missing'],
      ['an unknown strategy', { update_strategy: 'prepend' }, 'x', ['body', 'update_strategy'], 'enum'],
      ['metadata that is no JSON', { metadata: '{' }, 'x', ['body', 'metadata'], 'json_invalid'],
      ['metadata that is a list', { metadata: '[]' }, 'x', ['body', 'metadata'], 'dict_type'],
      [
        'a value of another type',
        { metadata: '{"n":"x"}', metadata_types: '{"n":"number"}' },
        'x',
        ['body', 'metadata', 'n'],
        'value_error',
      ],
      [
        'a reserved key',
        { metadata: '{"folder_name":"/x"}' },
        'x',
        ['body', 'metadata', 'folder_name'],
        'value_error',
      ],
      ['a rule', { rules: '[{"type":"x"}]' }, 'x', ['body', 'rules', 0, 'type'], 'enum'],
    ])('rejects %s and stores nothing', async (_why, fields, content, loc, type) => {
      const { external_id: id } = await documents.ingestText('As it was.');
      const before = await documents.get(id);
      const body = form('a.txt', content ?? '', fields);
      if (content === null) body.delete('file');
      body.append('ignored', 'yes');
      const answer = await update(id, body);
      expect([answer.status, answer.json()]).toMatchObject([422, { detail: [{ loc, type }] }]);
      expect(await documents.get(id)).toEqual(before);
    });

    it('rejects a file that is too large, an unknown and a foreign document', async () => {
      const { external_id: id } = await documents.ingestText('As it was.');
      expect((await update(id, form('big.txt', 'x'.repeat(1_100_000)))).status).toBe(413);
      expect((await documents.get(id)).system_metadata.status).toBe('completed');
      const unknown = await update(UNKNOWN, form('a.txt', 'x'));
      const foreign = await (await stranger()).post(`/documents/${id}/update_file`, form('a.txt', 'x'));
      expect([unknown.status, foreign.status, foreign.text]).toEqual([404, 404, unknown.text]);
    });

    it('is removed with its document if that is deleted meanwhile', async () => {
      const { external_id: id } = await documents.ingestText('Short-lived.');
      await update(id, form('report.pdf', readFileSync('demo/documents/observatory-annual-report-2025.pdf')));
      expect((await service.client.delete(`/documents/${id}`)).status).toBe(200);
      expect((await service.client.get(`/documents/${id}`)).status).toBe(404);
      expect(await documents.chunks(id)).toEqual([]);
    });
  });

  describe('requeueing', () => {
    const requeue = async (body: object, client = service.client) =>
      ((await client.post('/ingest/requeue', body)).json() as { results: Requeued[] }).results;

    it('rebuilds a completed document from its source, and retries a failed one', async () => {
      const good = await documents.ingestText('Made once, made twice.');
      const bad = await documents.ingestFile('broken.pdf', Buffer.from('%PDF-1.7 cut'));
      const results = await requeue({
        jobs: [
          { external_id: good.external_id, use_colpali: true },
          { external_id: good.external_id.toUpperCase() },
          { external_id: bad.external_id },
          { external_id: UNKNOWN },
          { external_id: 'no id' },
        ],
      });
      expect(results.map(({ external_id, status }) => [external_id, status])).toEqual([
        [good.external_id, 'requeued'],
        [bad.external_id, 'requeued'],
        [UNKNOWN, 'not_found'],
        ['no id', 'not_found'],
      ]);
      expect((await documents.settled(good.external_id)).system_metadata).toMatchObject({
        status: 'completed',
        version: 1,
        use_colpali: true,
      });
      expect(await documents.text(good.external_id)).toBe('Made once, made twice.');
      expect((await documents.chunks(good.external_id)).length).toBe(1);
      expect((await documents.settled(bad.external_id)).system_metadata.status).toBe('failed');
    });

    it('is finished before a later text update replaces the source', async () => {
      const { external_id: id } = await documents.ingestText('Puffins nest in burrows. '.repeat(400));
      const answer = await service.client.post('/ingest/requeue', { jobs: [{ external_id: id }] });
      expect(answer.json()).toMatchObject({ results: [{ status: 'requeued' }] });
      await service.client.post(`/documents/${id}/update_text?update_strategy=replace`, {
        content: 'Third.',
      });
      await documents.settled(id);
      expect(await documents.text(id)).toBe('Third.');
    });

    it('reports a document without a stored source', async () => {
      const { external_id: id } = await documents.ingestText('The beginning.');
      await service.client.post(`/documents/${id}/update_text`, { content: 'The rest.' });
      expect(await requeue({ jobs: [{ external_id: id }] })).toMatchObject([
        { external_id: id, status: 'error' },
      ]);
      expect((await documents.get(id)).system_metadata.status).toBe('completed');
    });

    it('selects documents by status, up to a limit, of its own tenant', async () => {
      const bad = await documents.ingestFile('broken.pdf', Buffer.from('%PDF-1.7 cut'));
      const all = await requeue({ include_all: true, statuses: ['failed'] });
      expect(all.length).toBeGreaterThan(1);
      expect(all.map(({ external_id }) => external_id)).toContain(bad.external_id);
      for (const { external_id } of all) await documents.settled(external_id);
      expect(await requeue({ include_all: true, statuses: ['failed'], limit: 1 })).toHaveLength(1);
      const other = await stranger();
      expect(await requeue({ include_all: true }, other)).toEqual([]);
      expect(await requeue({ jobs: [{ external_id: bad.external_id }] }, other)).toMatchObject([
        { status: 'not_found', message: 'Document not found' },
      ]);
    });

    it.each([
      [{}, ['body'], 'value_error'],
      [{ jobs: [] }, ['body'], 'value_error'],
      [{ jobs: [{}] }, ['body', 'jobs', 0, 'external_id'], 'missing'],
      [{ jobs: [{ external_id: 7 }] }, ['body', 'jobs', 0, 'external_id'], 'string_type'],
      [{ include_all: true, statuses: ['done'] }, ['body', 'statuses', 0], 'enum'],
      [{ include_all: true, limit: 0 }, ['body', 'limit'], 'greater_than'],
      [
        { jobs: Array.from({ length: 1_001 }, () => ({ external_id: UNKNOWN })) },
        ['body', 'jobs'],
        'value_error',
      ],
    ])('rejects %j', async (body, loc, type) => {
      const answer = await service.client.post('/ingest/requeue', body);
      expect([answer.status, answer.json()]).toMatchObject([422, { detail: [{ loc, type }] }]);
    });
  });

  describe('deleting several', () => {
    it('reports each id, and foreign ids like unknown ones', async () => {
      const [one, two, kept] = await Promise.all(
        ['One.', 'Two.', 'Kept.'].map((content) => documents.ingestText(content)),
      );
      const remove = (ids: unknown[], client = service.client) =>
        client.post('/documents/delete', { document_ids: ids });
      const foreign = await remove([kept!.external_id, UNKNOWN], await stranger());
      expect(foreign.json()).toEqual({
        results: [kept!.external_id, UNKNOWN].map((id) => ({
          document_id: id,
          status: 'not_found',
          message: 'Document not found',
        })),
      });
      const mine = await remove([
        one!.external_id,
        UNKNOWN,
        one!.external_id,
        two!.external_id.toUpperCase(),
        'x',
      ]);
      expect(mine.json()).toMatchObject({
        results: [
          { document_id: one!.external_id, status: 'success' },
          { document_id: UNKNOWN, status: 'not_found' },
          { document_id: two!.external_id.toUpperCase(), status: 'success' },
          { document_id: 'x', status: 'not_found' },
        ],
      });
      expect((await service.client.get(`/documents/${two!.external_id}`)).status).toBe(404);
      expect((await documents.get(kept!.external_id)).external_id).toBe(kept!.external_id);
    });

    it.each([
      [{}, ['body', 'document_ids'], 'missing'],
      [{ document_ids: 'x' }, ['body', 'document_ids'], 'list_type'],
      [{ document_ids: [1] }, ['body', 'document_ids', 0], 'string_type'],
    ])('rejects %j', async (body, loc, type) => {
      const answer = await service.client.post('/documents/delete', body);
      expect([answer.status, answer.json()]).toMatchObject([422, { detail: [{ loc, type }] }]);
    });
  });

  describe('ingesting several', () => {
    const files = (entries: [string, string][], more: Record<string, string> = {}) => {
      const made = new FormData();
      for (const [name, content] of entries) made.append('files', new Blob([content]), name);
      for (const [key, value] of Object.entries(more)) made.append(key, value);
      return service.client.post('/ingest/files', made);
    };
    interface Ingested {
      readonly documents: DocumentRecord[];
      readonly errors: { filename: string; error: string }[];
    }

    it('creates one document per file, with common or individual metadata', async () => {
      const all = await files(
        [
          ['a.txt', 'Alpha.'],
          ['b.txt', 'Beta.'],
        ],
        { metadata: '{"batch":1}', folder_name: '/several' },
      );
      expect(all.status).toBe(200);
      const { documents: made, errors } = all.json() as Ingested;
      expect([made.map(({ filename }) => filename), errors]).toEqual([['a.txt', 'b.txt'], []]);
      for (const { external_id } of made) {
        expect(await documents.settled(external_id)).toMatchObject({
          metadata: { batch: 1 },
          folder_path: '/several',
          system_metadata: { status: 'completed' },
        });
      }
      const each = await files(
        [
          ['a.txt', 'Alpha.'],
          ['b.txt', 'Beta.'],
        ],
        { metadata: '[{"n":1},null]', metadata_types: '[{"n":"decimal"},{}]' },
      );
      expect((each.json() as Ingested).documents.map(({ metadata }) => metadata['n'])).toEqual([
        '1',
        undefined,
      ]);
    });

    it('continues after a rejected file', async () => {
      const answer = await files(
        [
          ['a.txt', 'Alpha.'],
          ['huge.txt', 'x'.repeat(1_100_000)],
          ['typed.txt', 'Typed.'],
          ['d.txt', 'Delta.'],
        ],
        { metadata: '[{}, {}, {"n":"x"}, {}]', metadata_types: '{"n":"number"}' },
      );
      const { documents: made, errors } = answer.json() as Ingested;
      expect(made.map(({ filename }) => filename)).toEqual(['a.txt', 'd.txt']);
      expect(errors).toEqual([
        { filename: 'huge.txt', error: 'The file is larger than 1 MB' },
        { filename: 'typed.txt', error: expect.stringContaining('metadata.n: ') as unknown },
      ]);
      for (const { external_id } of made) {
        expect((await documents.settled(external_id)).system_metadata.status).toBe('completed');
      }
    });

    it.each([
      [{ metadata: '[{}]' }, ['body', 'metadata'], 'value_error'],
      [{ metadata: '[1,{}]' }, ['body', 'metadata', 0], 'dict_type'],
      [{ metadata: '"x"' }, ['body', 'metadata'], 'dict_type'],
      [{ metadata: '{"filename":"x"}' }, ['body', 'metadata', 'filename'], 'value_error'],
      [{ rules: '[{"type":"natural_language","prompt":"x"}]' }, ['body', 'rules', 0], 'value_error'],
    ])('rejects %j for all files', async (more, loc, type) => {
      const answer = await files(
        [
          ['a.txt', 'Alpha.'],
          ['b.txt', 'Beta.'],
        ],
        more,
      );
      expect([answer.status, answer.json()]).toMatchObject([422, { detail: [{ loc, type }] }]);
    });

    it('rejects a form without files', async () => {
      const answer = await files([], { metadata: '{}' });
      expect(answer.json()).toMatchObject({ detail: [{ loc: ['body', 'files'], type: 'missing' }] });
    });
  });
});
