import { readFile } from 'node:fs/promises';
import type { Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { minimalPdf, numberedPdf } from '../support/minimal-pdf.js';
import { SharedService } from '../support/shared-service.js';

const REPORT = 'observatory-annual-report-2025.pdf';
const LAMP = 'The lamp is lit at dusk';
const line = (text: string, x: number, y: number): string => `BT /F1 18 Tf ${x} ${y} Td (${text}) Tj ET\n`;

interface Places {
  readonly page_number: number;
  readonly page_count: number;
  readonly image_width: number;
  readonly image_height: number;
  readonly places: readonly { left: number; top: number; width: number; height: number }[];
}

describe('pages of documents that were ingested without page images', () => {
  let service: SharedService;
  let report: string;
  let lamp: string;
  let text: string;
  let documents: Documents;
  beforeAll(async () => {
    service = await SharedService.enter();
    documents = new Documents(() => service.client);
    const ingest = async (name: string, bytes: Uint8Array): Promise<string> =>
      (await documents.ingestFile(name, bytes)).external_id;
    report = await ingest(REPORT, await readFile(`demo/documents/${REPORT}`));
    lamp = await ingest(
      'lamp.pdf',
      minimalPdf([
        {
          size: [600, 300],
          content: line('The lamp is lit', 60, 210) + line('at dusk. It is dark.', 60, 180),
        },
        { size: [600, 300], rotate: 90, content: line(LAMP, 60, 210) },
      ]),
    );
    text = (await documents.ingestText('The lamp is lit at dusk.')).external_id;
  });
  afterAll(() => service.stop());

  const image = (id: string, page: number | string, client: Client = service.client, headers = {}) =>
    client.fetch('GET', `/documents/${id}/pages/${page}/image`, { headers });
  const places = async (id: string, page: number, text: string): Promise<Places> =>
    (await service.client.post(`/documents/${id}/pages/${page}/places`, { text })).json() as Places;

  it('are images of 150 dpi, which are sent once', async () => {
    const answer = await image(report, 3);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    const png = Buffer.from(await answer.arrayBuffer());
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1240, 1754]);
    const again = await image(report, 3, service.client, {
      'if-none-match': answer.headers.get('etag') ?? '',
    });
    expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0]);
  });

  it('have the places of a text, one for each line', async () => {
    const found = await places(lamp, 1, `${LAMP}.`);
    expect(found).toMatchObject({ page_number: 1, page_count: 2, image_width: 1250, image_height: 625 });
    const [first, second, ...more] = found.places;
    expect(more).toEqual([]);
    expect(first?.left).toBeCloseTo(0.1, 1);
    expect(first?.top).toBeGreaterThan(0.2);
    expect((first?.top ?? 1) + (first?.height ?? 1)).toBeLessThan(0.33);
    expect(second?.top).toBeGreaterThan(first?.top ?? 1);
    expect(second?.width).toBeLessThan(first?.width ?? 0); // only "at dusk."
    expect((await places(lamp, 1, 'Nobody washed the windows of the tower')).places).toEqual([]);
  });

  it('have them where an upright page shows them', async () => {
    const { places: found, ...size } = await places(lamp, 2, LAMP);
    expect(size).toMatchObject({ image_width: 625, image_height: 1250 });
    // Turned clockwise, the line runs down the page, right of the middle.
    const left = Math.min(...found.map((one) => one.left));
    const bottom = Math.max(...found.map((one) => one.top + one.height));
    expect(left).toBeGreaterThan(0.6);
    expect(Math.min(...found.map((one) => one.top))).toBeCloseTo(0.1, 1);
    expect(bottom).toBeGreaterThan(0.3);
  });

  it.each([0, -1, 3, 1_000_000])('%d, which does not exist, is not found', async (page) => {
    const answer = await image(lamp, page);
    expect([answer.status, await answer.json()]).toEqual([404, { detail: 'Page not found' }]);
    const asked = await service.client.post(`/documents/${lamp}/pages/${page}/places`, { text: LAMP });
    expect([asked.status, asked.json()]).toEqual([404, { detail: 'Page not found' }]);
  });

  it('of appended files are numbered on', async () => {
    const { external_id: id } = await documents.ingestFile('heron.pdf', Buffer.from(numberedPdf(2, 'Heron')));
    const form = new FormData();
    form.append('file', new Blob([numberedPdf(3, 'Pike')], { type: 'application/pdf' }), 'pike.pdf');
    form.append('update_strategy', 'add');
    expect((await service.client.post(`/documents/${id}/update_file`, form)).status).toBe(200);
    await documents.settled(id);
    const on = async (page: number, text: string): Promise<unknown> => {
      const { page_number, page_count, places: found } = await places(id, page, text);
      return [page_number, page_count, found.length];
    };
    expect(await on(2, 'Heron page 2')).toEqual([2, 5, 1]);
    expect(await on(4, 'Pike page 2')).toEqual([4, 5, 1]);
    expect(await on(4, 'Heron page 2')).toEqual([4, 5, 0]);
    expect((await image(id, 6)).status).toBe(404);
  });

  it('of formats without pages are not found, and others are refused', async () => {
    expect((await image(text, 1)).status).toBe(404);
    const wrong = await image(lamp, 'x');
    expect([wrong.status, await wrong.json()]).toMatchObject([
      422,
      { detail: [{ loc: ['path', 'page_number'], type: 'int_type' }] },
    ]);
    const blank = await service.client.post(`/documents/${lamp}/pages/1/places`, { text: ' ' });
    expect([blank.status, blank.json()]).toMatchObject([422, { detail: [{ loc: ['body', 'text'] }] }]);
  });

  it('of another tenant are those of a document that does not exist', async () => {
    const other = service.as(await service.newTenant());
    const nowhere = await image('01890000-0000-7000-8000-000000000000', 1);
    const foreign = await image(lamp, 1, other);
    expect([foreign.status, await foreign.text()]).toEqual([404, await nowhere.text()]);
    const asked = await other.post(`/documents/${lamp}/pages/1/places`, { text: LAMP });
    expect([asked.status, asked.json()]).toEqual([404, { detail: 'Document not found' }]);
  });

  it('go when a text replaces the file', async () => {
    const documents = new Documents(() => service.client);
    const { external_id: id } = await documents.ingestFile(
      'one.pdf',
      minimalPdf([{ size: [300, 200], content: line(LAMP, 20, 100) }]),
    );
    expect((await image(id, 1)).status).toBe(200);
    const path = `/documents/${id}/update_text?update_strategy=replace`;
    expect((await service.client.post(path, { content: 'The lamp is broken.' })).status).toBe(200);
    expect((await image(id, 1)).status).toBe(404);
  });
});
