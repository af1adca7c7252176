import { readFileSync } from 'node:fs';
import { type Chunk, type DocumentRecord, Documents, textOf } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

describe('documents', () => {
  let service: SharedService;
  let documents: Documents;
  beforeAll(async () => {
    service = await SharedService.enter();
    documents = new Documents(() => service.client);
  });
  afterAll(() => service.stop());

  it('are searchable: text, Markdown, HTML and PDF, with the pages of the PDF', async () => {
    const file = (name: string) => readFileSync(`demo/documents/${name}`);
    const report = await documents.ingestFile('report.pdf', file('observatory-annual-report-2025.pdf'));
    const manual = await documents.ingestFile('manual.md', file('greenhouse-controller-manual.md'));
    const page = await documents.ingestFile('ferry.html', file('ferry-visitor-information.html'));
    const note = await documents.ingestText('The spare key hangs behind the blue door of the boathouse.');

    expect([report, manual, page, note].map((record) => record.system_metadata.status)).toEqual(
      Array(4).fill('completed'),
    );
    expect([report, manual, page, note].map((record) => record.content_type)).toEqual([
      'application/pdf',
      'text/markdown',
      'text/html',
      'text/plain',
    ]);
    expect([report.page_count, report.system_metadata.page_count, note.page_count]).toEqual([4, 4, null]);
    const [mirror] = await documents.retrieve({
      query: 'What did re-aluminising the main mirror cost?',
      k: 1,
    });
    expect(mirror).toMatchObject({ document_id: report.external_id, metadata: { page_number: 2 } });
    const [key] = await documents.retrieve({ query: 'Where is the spare key of the boathouse?', k: 1 });
    expect(key).toMatchObject({
      document_id: note.external_id,
      metadata: { is_image: false, start_offset: 0 },
    });
    for (const { external_id: id } of [report, manual, page, note]) {
      expect(textOf(await documents.chunks(id))).toBe(await documents.text(id));
    }
  });

  it('of a damaged file end as failed with a reason, and the service continues', async () => {
    const bad = await documents.ingestFile('broken.pdf', Buffer.from('%PDF-1.7 this is cut off'));
    expect(bad).toMatchObject({
      content_type: 'application/pdf', // detected by content: the upload has no content type
      system_metadata: { status: 'failed', error: expect.stringContaining('PDF') as unknown },
    });
    const refused = await service.client.post('/ingest/text', { content: '\u200b\u2060 \ufeff' });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('must not be blank')]);
    expect((await service.client.get('/ping')).status).toBe(200);
  });

  it('are found by superscripts and subscripts in any notation, without confusing numbers', async () => {
    const page = (text: string): Promise<DocumentRecord> =>
      documents.ingestFile('dose.html', Buffer.from(`<p>${text}</p>`));
    const power = await page('The sample has 10<sup>6</sup> bacteria in a litre.');
    const number = await page('The sample has 106 bacteria in a litre.');
    const water = await page('The tank is filled with H<sub>2</sub>O from the spring.');
    const wordsFound = async (query: string): Promise<Record<string, number>> => {
      const answer = await service.client.post('/retrieve/chunks', { query, k: 100, explain: true });
      const chunks = answer.json() as (Chunk & { readonly score_parts: { readonly lexical: number } })[];
      return Object.fromEntries(chunks.map((chunk) => [chunk.document_id, chunk.score_parts.lexical]));
    };
    for (const query of ['10⁶', '10^6']) {
      const found = await wordsFound(query);
      expect([query, (found[power.external_id] ?? 0) > 0, found[number.external_id]]).toEqual([
        query,
        true,
        0,
      ]);
    }
    const plain = await wordsFound('106');
    expect(plain[power.external_id]).toBe(0);
    expect(plain[number.external_id]).toBeGreaterThan(0);
    for (const query of ['H2O', 'H₂O', 'H_2O']) {
      const found = await wordsFound(query);
      expect([query, (found[water.external_id] ?? 0) > 0]).toEqual([query, true]);
    }
  });

  it('answer a question with resolvable inline citations', async () => {
    await documents.ingestText('Otters at the weir are counted every first Sunday of the month at dawn.', {
      filename: 'otters.txt',
    });
    const answer = await service.client.post('/query', {
      query: 'When are the otters at the weir counted?',
      inline_citations: true,
    });
    const { completion, sources, metadata } = answer.json() as {
      completion: string;
      sources: { document_id: string; chunk_number: number }[];
      metadata: {
        model: string;
        citations: { start: number; end: number; text: string; document_id: string }[];
      };
    };
    expect(completion).toContain('every first Sunday of the month at dawn');
    expect(completion).toContain('[otters.txt]');
    expect(metadata.model).toBe('extractive');
    expect(metadata.citations.length).toBeGreaterThan(0);
    for (const { start, end, text, document_id } of metadata.citations) {
      expect(completion.slice(start, end)).toBe(text);
      expect(sources.map((source) => source.document_id)).toContain(document_id);
    }
    expect(answer.headers.get('server-timing')).toMatch(
      /(?=.*\bembed;dur=)(?=.*\bdb;dur=)(?=.*\bllm;dur=)(?=.*\btotal;dur=)/,
    );
  });

  it('are limited by folder, depth, end user and filter, combined', async () => {
    const put = (name: string, folder_name: string, end_user_id: string, colour: string) =>
      documents.ingestText(`The lantern of ${name} burns whale oil.`, {
        filename: name,
        folder_name,
        end_user_id,
        metadata: { colour },
      });
    await put('one', '/lanterns', 'ann', 'red');
    await put('two', 'lanterns/deep/', 'ann', 'green');
    await put('three', '/lanterns/deep/deeper', 'bob', 'red');
    const names = async (body: object) =>
      (await documents.retrieve({ query: 'lantern whale oil', k: 50, ...body }))
        .map((chunk) => chunk.filename)
        .sort();

    expect(await names({ folder_name: '/lanterns' })).toEqual(['one']);
    expect(await names({ folder_name: '/lanterns', folder_depth: 1 })).toEqual(['one', 'two']);
    expect(await names({ folder_name: '/lanterns', folder_depth: -1 })).toEqual(['one', 'three', 'two']);
    expect(await names({ folder_name: '/lanterns', folder_depth: -1, end_user_id: 'ann' })).toEqual([
      'one',
      'two',
    ]);
    expect(
      await names({
        folder_name: '/lanterns',
        folder_depth: -1,
        end_user_id: 'ann',
        filters: { colour: 'red' },
      }),
    ).toEqual(['one']);
    expect(await names({ folder_name: [] })).toEqual([]);
    expect(await names({ folder_name: '/nowhere' })).toEqual([]);
  });

  it('have the same score for any k, filter, folder and min_score', async () => {
    const query = 'Which lantern burns whale oil?';
    const [best] = await documents.retrieve({ query, k: 1, filters: { colour: 'green' } });
    for (const body of [
      { k: 50 },
      { k: 2, folder_name: '/lanterns/deep' },
      { k: 50, min_score: best!.score },
    ]) {
      const same = (await documents.retrieve({ query, ...body })).find(
        ({ document_id, chunk_number }) =>
          document_id === best!.document_id && chunk_number === best!.chunk_number,
      );
      expect(same?.score).toBe(best!.score);
    }
  });

  it('are returned in groups: one per match, each chunk once', async () => {
    const answer = await service.client.post('/retrieve/chunks/grouped', {
      query: 'lantern',
      k: 3,
      padding: 2,
    });
    const grouped = answer.json() as {
      chunks: object[];
      groups: { main_chunk: object; total_chunks: number }[];
    };
    expect(grouped).toMatchObject({ total_results: 3, has_padding: false });
    expect(grouped.groups.map(({ main_chunk }) => main_chunk)).toEqual(grouped.chunks);
    expect(grouped.groups.map(({ total_chunks }) => total_chunks)).toEqual([1, 1, 1]);
  });

  it('are listed with counts, and can be deleted', async () => {
    const { external_id: id } = await documents.ingestText('Short-lived words about kestrels.');
    const list = (
      await service.client.post('/documents', { include_total_count: true, fields: ['filename'] })
    ).json() as {
      total_count: number;
      documents: object[];
    };
    expect(list.documents).toContainEqual({ external_id: id, filename: `document_${id}.txt` });
    expect((await service.client.delete(`/documents/${id}`)).status).toBe(200);
    expect((await service.client.get(`/documents/${id}`)).status).toBe(404);
    const after = (await service.client.post('/documents', { include_total_count: true })).json() as {
      total_count: number;
    };
    expect(after.total_count).toBe(list.total_count - 1);
    expect(await documents.chunks(id)).toEqual([]);
  });

  it('of another tenant return the same bytes as unknown ones', async () => {
    const { external_id: id } = await documents.ingestText('The secret of the first tenant.');
    const stranger = service.as(await service.newTenant());
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const [method, path, body] of [
      ['GET', '/documents/ID', undefined],
      ['GET', '/documents/ID/status', undefined],
      ['DELETE', '/documents/ID', undefined],
      ['POST', '/documents/ID/update_text', { content: 'mine now' }],
    ] as const) {
      const [foreign, missing] = await Promise.all(
        [id, unknown].map((one) => stranger.call(method, path.replace('ID', one), { body })),
      );
      expect([path, foreign!.status, foreign!.text]).toEqual([path, 404, missing!.text]);
    }
    expect(
      (await stranger.post('/retrieve/chunks', { query: 'secret of the first tenant', k: 10 })).json(),
    ).toEqual([]);
  });
});
