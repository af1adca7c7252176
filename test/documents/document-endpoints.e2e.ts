import { minimalPdf } from '../support/minimal-pdf.js';
import { Documents, type Chunk } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

const UNKNOWN = '11111111-2222-4333-8444-555555555555';

interface DocumentResult {
  readonly score: number;
  readonly document_id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly content: { readonly type: string; readonly value: string; readonly filename: string | null };
  readonly additional_metadata: Readonly<Record<string, unknown>>;
}

describe('documents', () => {
  let service: SharedService;
  let documents: Documents;
  let note: string;
  beforeAll(async () => {
    service = await SharedService.enter();
    documents = new Documents(() => service.client);
    note = (await documents.ingestText('The ferry leaves at noon.', { filename: 'ferry.txt' })).external_id;
  });
  afterAll(() => service.stop());

  describe('found by a query', () => {
    const ask = async (body: object): Promise<DocumentResult[]> => {
      const answer = await service.client.post('/retrieve/docs', { query: 'ferry timetable', ...body });
      expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
      return answer.json() as DocumentResult[];
    };
    let timetable: string;
    beforeAll(async () => {
      // One document with many chunks, all nearer to the question than any other document.
      const lines = Array.from(
        { length: 200 },
        (_, i) => `Ferry timetable, ferry ${i}: departs at ${i % 24} hours.`,
      );
      const text = lines.join('\n\n').repeat(4);
      timetable = (await documents.ingestText(text, { metadata: { kind: 'timetable' } })).external_id;
      for (const dish of ['soup', 'bread', 'fish', 'cake', 'rice']) {
        await documents.ingestText(`How to cook ${dish}.`, { metadata: { kind: 'recipe' } });
      }
    });

    it('returns k distinct documents with their best chunks', async () => {
      const chunks = await documents.retrieve({ query: 'ferry timetable', k: 1000 });
      const count = chunks.findIndex(({ document_id: id }) => id !== timetable);
      expect(count).toBeGreaterThan(16); // the first chunks all come from one document

      const found = await ask({ k: 4 });
      const best = new Map<string, Chunk>();
      for (const chunk of chunks) if (!best.has(chunk.document_id)) best.set(chunk.document_id, chunk);
      expect(found.map(({ document_id: id, score, content }) => [id, score, content])).toEqual(
        [...best.values()]
          .slice(0, 4)
          .map(({ document_id: id, score, content }) => [
            id,
            expect.closeTo(score, 9) as unknown,
            { type: 'string', value: content, filename: null },
          ]),
      );
      expect(found[0]?.document_id).toBe(timetable);
    });

    it('returns every matching document when k is larger', async () => {
      expect(await ask({ k: 100 })).toHaveLength(7);
      const recipes = await ask({ k: 100, filters: { kind: 'recipe' } });
      expect(recipes).toHaveLength(5);
      for (const { document_id: id, metadata } of recipes) {
        expect(metadata).toEqual({ kind: 'recipe', external_id: id, folder_name: null });
      }
      expect(await ask({ filters: { kind: 'law' } })).toEqual([]);
      const scores = (await ask({ k: 100 })).map(({ score }) => score);
      const enough = scores[2] ?? 1;
      expect(await ask({ k: 100, min_score: enough })).toHaveLength(
        scores.filter((score) => score >= enough).length,
      );
    });

    it('returns page images in the requested format', async () => {
      const content = 'BT /F1 20 Tf 20 240 Td (The lighthouse keeper counts seals) Tj ET';
      const more = { use_colpali: 'true', metadata: '{"kind":"log"}' };
      const pdf = minimalPdf([{ size: [400, 300], content }]);
      const { external_id: id } = await documents.ingestFile('log.pdf', pdf, more);
      const page = (
        await service.client.post('/documents/pages', { document_id: id, start_page: 1, end_page: 1 })
      ).json() as { pages: string[] };
      const asked = { query: null, query_image: page.pages[0], use_colpali: true };
      const [url] = await ask({ ...asked, output_format: 'url' });
      expect(url).toMatchObject({ document_id: id, content: { type: 'url', filename: 'log.pdf' } });
      const image = await fetch(url?.content.value ?? '');
      expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
      const [inline] = await ask(asked);
      expect(inline?.content).toEqual({
        type: 'string',
        value: expect.stringMatching(/^data:image\/png;base64,/) as unknown,
        filename: null,
      });
    });

    it('rejects the same input as retrieval', async () => {
      const answer = await service.client.post('/retrieve/docs', { query: 'ferry', k: 0 });
      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('"loc":["body","k"]')]);
    });
  });

  describe('with a waiting status request', () => {
    const status = (id: string, query = '') => service.client.get(`/documents/${id}/status${query}`);

    it('respond when processing has ended', async () => {
      const answer = await service.client.post('/ingest/text', { content: 'A buoy rings.' });
      const { external_id: id } = answer.json() as { external_id: string };
      const answers = await Promise.all([1, 2, 3].map(() => status(id, '?wait=60')));
      for (const one of answers) expect(one.json()).toMatchObject({ document_id: id, status: 'completed' });
    });

    it('respond at once if they are not processing', async () => {
      expect((await status(note, '?wait=60')).json()).toMatchObject({ status: 'completed' });
      expect((await status(UNKNOWN, '?wait=60')).status).toBe(404);
      for (const wait of ['61', '-1', 'x', '1.5']) {
        const refused = await status(note, `?wait=${wait}`);
        expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('["query","wait"]')]);
      }
    });
  });

  describe('with summaries', () => {
    const path = (id: string) => `/documents/${id}/summary`;
    const write = (body: object) => service.client.put(path(note), body);

    it('have none initially', async () => {
      const answer = await service.client.get(path(note));
      expect([answer.status, answer.json()]).toEqual([404, { detail: 'The document has no summary' }]);
      for (const id of [UNKNOWN, 'no-id']) {
        expect((await service.client.get(path(id))).json()).toEqual({ detail: 'Document not found' });
        const written = await service.client.put(path(id), { content: 'x' });
        expect([written.status, written.json()]).toEqual([404, { detail: 'Document not found' }]);
      }
    });

    it('add a version by default, or overwrite the latest on request', async () => {
      expect((await write({ content: 'When the ferry leaves.' })).json()).toEqual({
        content: 'When the ferry leaves.',
        storage_key: `documents/${note}/summaries/1`,
        bucket: 'postgresql',
        version: 1,
        updated_at: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      });
      expect((await write({ content: 'Two.' })).json()).toMatchObject({ content: 'Two.', version: 2 });
      expect((await write({ content: 'Three.', versioning: false })).status).toBe(409);
      const over = await write({ content: 'Three.', versioning: false, overwrite_latest: true });
      expect(over.json()).toMatchObject({ content: 'Three.', version: 2 });
      expect((await service.client.get(path(note))).json()).toEqual(over.json());
    });

    it('keep all versions written concurrently', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) => write({ content: `Many ${i}.` })),
      );
      const versions = answers.map((answer) => (answer.json() as { version: number }).version);
      expect(versions.sort((a, b) => a - b)).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
    });

    it('reject an empty summary, and a key without write permission', async () => {
      for (const content of ['', ' \n', 7, null]) {
        const answer = await write({ content });
        expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('["body","content"]')]);
      }
      const { key } = (await service.client.post('/keys', { name: 'reader', scopes: ['read'] })).json() as {
        key: string;
      };
      const reader = service.as(key);
      expect((await reader.put(path(note), { content: 'x' })).status).toBe(403);
      expect((await reader.get(path(note))).status).toBe(200);
    });

    it('are deleted with their summaries', async () => {
      const { external_id: id } = await documents.ingestText('A note for a day.');
      expect((await service.client.put(path(id), { content: 'Short.' })).status).toBe(200);
      expect((await service.client.delete(`/documents/${id}`)).status).toBe(200);
      expect((await service.client.get(path(id))).status).toBe(404);
    });
  });
});
