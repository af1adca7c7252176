import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Transformer } from '@napi-rs/image';
import { imageSize } from 'image-size';
import { LocalObjectStore } from '../../../src/storage/local/local-object-store.js';
import { Documents, type DocumentRecord } from '../../support/documents.js';
import { minimalPdf, numberedPdf } from '../../support/minimal-pdf.js';
import { Service } from '../../support/service.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const COLPALI = { use_colpali: 'true' };

interface Pages {
  readonly document_id: string;
  readonly pages: readonly string[];
  readonly start_page: number;
  readonly end_page: number;
  readonly total_pages: number;
}

const fixture = (name: string): Uint8Array => readFileSync(join(__dirname, '../../fixtures/documents', name));
const bytesOf = (uri: string): Uint8Array => Buffer.from(uri.replace('data:image/png;base64,', ''), 'base64');

describe('page images', () => {
  let service: Service;
  let documents: Documents;
  beforeAll(async () => {
    service = await Service.start({ SOFFICE_PATH: '/nowhere/soffice' });
    documents = new Documents(() => service.client);
  });
  afterAll(() => service.stop());

  const ask = (id: string, start: number, end: number, more: object = {}) =>
    service.client.post('/documents/pages', { document_id: id, start_page: start, end_page: end, ...more });
  const pagesOf = async (id: string, start = 1, end = 100): Promise<Pages> =>
    (await ask(id, start, end)).json() as Pages;
  const totalOf = async (id: string): Promise<number> => {
    const answer = await ask(id, 1, 100);
    return answer.status === 422 ? 0 : (answer.json() as Pages).total_pages;
  };
  const sizesOf = ({ pages }: Pages) =>
    pages.map((uri) => {
      const { width, height } = imageSize(bytesOf(uri));
      return [width, height];
    });
  const updateFile = async (
    id: string,
    name: string,
    bytes: Uint8Array,
    more: Record<string, string>,
  ): Promise<DocumentRecord> => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)]), name);
    for (const [key, value] of Object.entries(more)) form.append(key, value);
    const answer = await service.client.post(`/documents/${id}/update_file`, form);
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return documents.settled(id);
  };
  const requeue = async (id: string, useColpali: boolean): Promise<DocumentRecord> => {
    const jobs = [{ external_id: id, use_colpali: useColpali }];
    const answer = await service.client.post('/ingest/requeue', { jobs });
    expect(answer.json()).toMatchObject({ results: [{ status: 'requeued' }] });
    return documents.settled(id);
  };
  const storedImages = async (): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { key } of new LocalObjectStore(join(service.dataDir, 'files')).list()) keys.push(key);
    return keys.filter((key) => key.endsWith('.png'));
  };

  describe('of a new document', () => {
    it('exist for each page of a PDF, including blank ones', async () => {
      const record = await documents.ingestFile('report.pdf', fixture('partly-scanned.pdf'), COLPALI);
      expect(record.system_metadata).toMatchObject({ status: 'completed', page_count: 4, use_colpali: true });
      const pages = await pagesOf(record.external_id);
      expect(pages).toMatchObject({
        document_id: record.external_id,
        start_page: 1,
        end_page: 4,
        total_pages: 4,
      });
      expect(sizesOf(pages)).toEqual(Array.from({ length: 4 }, () => [1240, 1754]));
      expect(new Set(pages.pages).size).toBe(4);
    });

    it('are enough for a document without text', async () => {
      const blank = minimalPdf([{ size: [300, 200] }, { size: [200, 300] }]);
      const record = await documents.ingestFile('blank.pdf', blank, COLPALI);
      expect(record.system_metadata).toMatchObject({ status: 'completed', chunk_count: 0, page_count: 2 });
      expect(sizesOf(await pagesOf(record.external_id))).toEqual([
        [625, 417],
        [417, 625],
      ]);
      const without = await documents.ingestFile('blank.pdf', blank);
      expect(without.system_metadata).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('No text was found') as unknown,
      });
    });

    it('are created from images', async () => {
      const { external_id: id } = await documents.ingestFile(
        'pages.tiff',
        fixture('two-pages.tiff'),
        COLPALI,
      );
      expect(await pagesOf(id)).toMatchObject({ total_pages: 2 });
      const bmp = await new Transformer(fixture('sign.png')).bmp();
      const sign = await documents.ingestFile('sign.bmp', bmp, COLPALI);
      expect(sign).toMatchObject({ content_type: 'image/bmp', system_metadata: { status: 'completed' } });
      expect(await documents.text(sign.external_id)).toContain('truth universally');
      expect(sizesOf(await pagesOf(sign.external_id))).toEqual([[760, 144]]);
    });

    it('are not created from texts, nor from office documents without LibreOffice', async () => {
      const text = await documents.ingestText('Herons fish at dawn.', { use_colpali: true });
      const office = await documents.ingestFile('minutes.docx', fixture('minutes.docx'), COLPALI);
      for (const { external_id: id, system_metadata } of [text, office]) {
        expect(system_metadata).toMatchObject({ status: 'completed', use_colpali: true });
        expect(await totalOf(id)).toBe(0);
      }
    });

    it('are not created by default', async () => {
      const { external_id: id } = await documents.ingestFile('report.pdf', fixture('report.pdf'));
      expect(await totalOf(id)).toBe(0);
    });
  });

  describe('of an updated document', () => {
    const heron = numberedPdf(2, 'Heron');
    const pike = numberedPdf(3, 'Pike');

    it('are continued by an appended file, and replaced by a new one', async () => {
      const { external_id: id } = await documents.ingestFile('heron.pdf', heron, COLPALI);
      const before = await pagesOf(id);
      const added = await updateFile(id, 'pike.pdf', pike, { update_strategy: 'add' });
      expect(added.system_metadata).toMatchObject({ page_count: 5, use_colpali: true });
      const after = await pagesOf(id);
      expect([after.total_pages, after.pages.slice(0, 2)]).toEqual([5, before.pages]);
      expect(new Set(after.pages).size).toBe(5);
      await updateFile(id, 'heron.pdf', heron, { update_strategy: 'replace' });
      expect((await pagesOf(id)).pages).toEqual(before.pages);
    });

    it('are kept when a text is appended, and removed when a text replaces them', async () => {
      const { external_id: id } = await documents.ingestFile('heron.pdf', heron, COLPALI);
      const update = (strategy: string) =>
        service.client.post(`/documents/${id}/update_text?update_strategy=${strategy}`, {
          content: 'At dawn.',
        });
      expect((await update('add')).status).toBe(200);
      expect(await totalOf(id)).toBe(2);
      expect((await update('replace')).status).toBe(200);
      expect(await totalOf(id)).toBe(0);
    });

    it('of a document without text are kept when a text is appended', async () => {
      const blank = minimalPdf([{ size: [300, 200] }]);
      const { external_id: id } = await documents.ingestFile('blank.pdf', blank, COLPALI);
      await service.client.post(`/documents/${id}/update_text?update_strategy=add`, { content: 'A heron.' });
      await updateFile(id, 'heron.pdf', heron, { update_strategy: 'add' });
      expect((await documents.get(id)).system_metadata).toMatchObject({ page_count: 3 });
      expect(await totalOf(id)).toBe(3);
    });

    it('are added and removed by a requeue', async () => {
      const { external_id: id } = await documents.ingestFile('heron.pdf', heron);
      expect((await requeue(id, true)).system_metadata).toMatchObject({ use_colpali: true, chunk_count: 2 });
      expect(await totalOf(id)).toBe(2);
      await requeue(id, false);
      expect(await totalOf(id)).toBe(0);
    });
  });

  describe('requested', () => {
    let id: string;
    beforeAll(async () => {
      id = (await documents.ingestFile('pike.pdf', numberedPdf(5, 'Pike'), COLPALI)).external_id;
    });

    it('are returned for the range; pages after the end are omitted', async () => {
      const all = await pagesOf(id);
      expect(await pagesOf(id, 2, 3)).toEqual({
        document_id: id,
        pages: all.pages.slice(1, 3),
        start_page: 2,
        end_page: 3,
        total_pages: 5,
      });
      expect(await pagesOf(id, 5, 9)).toMatchObject({
        pages: all.pages.slice(4),
        start_page: 5,
        end_page: 5,
      });
    });

    it('are returned as links without a key, valid until the pages are replaced', async () => {
      const { pages } = await pagesOf(id);
      const links = ((await ask(id, 1, 2, { output_format: 'url' })).json() as Pages).pages;
      expect(links).toHaveLength(2);
      const [first = ''] = links;
      const image = await fetch(first);
      expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(Buffer.from(await image.arrayBuffer())).toEqual(Buffer.from(bytesOf(pages[0] ?? '')));
      await requeue(id, true);
      expect((await fetch(first)).status).toBe(404);
    });

    it.each([
      [{ start_page: 0, end_page: 1 }, 'start_page', 'greater_than_equal'],
      [{ start_page: 3, end_page: 2 }, 'end_page', 'value_error'],
      [{ start_page: 1, end_page: 101 }, 'end_page', 'value_error'],
      [{ start_page: 6, end_page: 7 }, 'start_page', 'value_error'],
      [{ start_page: 1 }, 'end_page', 'missing'],
      [{ start_page: 1, end_page: 1, output_format: 'text' }, 'output_format', 'enum'],
    ])('are rejected for %j at %s', async (range, member, type) => {
      const answer = await service.client.post('/documents/pages', { document_id: id, ...range });
      expect([answer.status, answer.json()]).toMatchObject([
        422,
        { detail: [{ loc: ['body', member], type }] },
      ]);
    });

    it('of unknown and foreign documents are the same 404', async () => {
      const issued = await service.client.post('/keys', { name: 'other', scopes: ['read'], app_id: 'other' });
      const stranger = service.as((issued.json() as { key: string }).key);
      const range = { start_page: 1, end_page: 1 };
      const foreign = await stranger.post('/documents/pages', { document_id: id, ...range });
      const unknown = await service.client.post('/documents/pages', { document_id: UNKNOWN, ...range });
      expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    });
  });

  it('of a file that cannot be rendered leave the current version unchanged', async () => {
    const { external_id: id } = await documents.ingestFile('heron.pdf', numberedPdf(2, 'Heron'), COLPALI);
    const before = await pagesOf(id);
    const broken = await updateFile(id, 'cut.pdf', fixture('truncated.pdf'), {
      update_strategy: 'replace',
    });
    expect(broken.system_metadata).toMatchObject({
      status: 'completed',
      error: expect.stringContaining('The PDF is truncated') as unknown,
    });
    expect(await pagesOf(id)).toEqual(before);
  });

  it('are deleted with their document, rows and files', async () => {
    const { external_id: id } = await documents.ingestFile('heron.pdf', numberedPdf(2, 'Heron'), COLPALI);
    const isOurs = (key: string): boolean => key.includes(id);
    expect((await storedImages()).filter(isOurs)).toHaveLength(2);
    expect((await service.client.delete(`/documents/${id}`)).status).toBe(200);
    expect((await storedImages()).filter(isOurs)).toEqual([]);
    expect((await ask(id, 1, 1)).status).toBe(404);
  });
});
