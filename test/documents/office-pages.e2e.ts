import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Documents } from '../support/documents.js';
import { FakeOffice } from '../support/fake-office.js';
import { numberedPdf } from '../support/minimal-pdf.js';
import { Service } from '../support/service.js';

interface Found {
  readonly page_number: number;
  readonly page_count: number;
  readonly places: readonly object[];
}

describe('pages of office documents', () => {
  let folder: string;
  let office: FakeOffice;
  let service: Service;
  let documents: Documents;
  let docx: Buffer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-program-'));
    office = new FakeOffice(folder, numberedPdf(3, 'Heron'));
    service = await Service.start({ SOFFICE_PATH: office.program });
    documents = new Documents(() => service.client);
    docx = await readFile('test/fixtures/documents/minutes.docx');
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });
  beforeEach(() => {
    office.install();
    office.makes(numberedPdf(3, 'Heron'));
  });

  let ingested = 0;
  const ingest = async (): Promise<string> => {
    ingested += 1;
    return (await documents.ingestFile(`minutes-${ingested}.docx`, docx)).external_id;
  };
  const image = (id: string, page: number, client = service.client): Promise<Response> =>
    client.fetch('GET', `/documents/${id}/pages/${page}/image`);
  const shown = async (id: string): Promise<unknown[]> => {
    const { system_metadata: system } = await documents.get(id);
    return [system.page_view, system.drawn_page_count];
  };
  const find = async (id: string, page: number, text: string, more = {}): Promise<Found> =>
    (await service.client.post(`/documents/${id}/pages/${page}/places`, { text, ...more })).json() as Found;
  const storedFiles = async (id: string): Promise<string[]> =>
    (await readdir(service.dataDir, { recursive: true })).filter(
      (path) => path.includes(id) && path.endsWith('.pdf'),
    );

  it('are drawn from a PDF, which is made once and kept beside the file', async () => {
    const id = await ingest();
    const before = office.conversions;
    expect(await shown(id)).toEqual(['drawn', undefined]);
    const answers = await Promise.all([1, 2, 3, 1, 2, 3].map((page) => image(id, page)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(office.conversions).toBe(before + 1);
    expect(await shown(id)).toEqual(['drawn', 3]);
    expect((await image(id, 4)).status).toBe(404);
    expect(await storedFiles(id)).toHaveLength(1);
    expect((await documents.get(id)).storage_files[0]).not.toHaveProperty('rendition');
    await service.client.delete(`/documents/${id}`);
    expect(await storedFiles(id)).toEqual([]);
    expect((await image(id, 1)).status).toBe(404);
  });

  it('are searched for a text', async () => {
    const id = await ingest();
    expect(await find(id, 1, 'Heron page 3', { anywhere: true })).toMatchObject({
      page_number: 3,
      page_count: 3,
      places: [{}],
    });
    expect(await find(id, 1, 'Heron page 3')).toMatchObject({ page_number: 1 });
    expect(await find(id, 2, 'Nobody washed the windows', { anywhere: true })).toMatchObject({
      page_number: 2,
      places: [],
    });
    const wrong = await service.client.post(`/documents/${id}/pages/1/places`, {
      text: 'a',
      anywhere: 'yes, please',
    });
    expect([wrong.status, wrong.json()]).toMatchObject([422, { detail: [{ loc: ['body', 'anywhere'] }] }]);
  });

  it('are the text only if the file cannot be converted, until it is ingested again', async () => {
    const id = await ingest();
    office.makes(new Uint8Array());
    const before = office.conversions;
    const failed = await image(id, 1);
    expect([failed.status, await failed.json()]).toMatchObject([
      404,
      { detail: expect.stringMatching(/^LibreOffice cannot read the file/) as string },
    ]);
    expect(await shown(id)).toEqual([null, undefined]);
    expect([(await image(id, 1)).status, office.conversions]).toEqual([404, before + 1]);
    office.makes(numberedPdf(2, 'Heron'));
    await service.client.post('/ingest/requeue', { jobs: [{ external_id: id }] });
    await documents.settled(id);
    expect([(await image(id, 2)).status, office.conversions]).toEqual([200, before + 2]);
  });

  it('are the text only without LibreOffice, except those that were drawn with it', async () => {
    const [drawn, other] = [await ingest(), await ingest()];
    expect((await image(drawn, 1)).status).toBe(200);
    office.remove();
    expect(await shown(drawn)).toEqual(['drawn', 3]);
    expect((await image(drawn, 2)).status).toBe(200);
    expect(await shown(other)).toEqual([null, undefined]);
    expect((await image(other, 1)).status).toBe(404);
  });

  it('are made again if they are missing in the store', async () => {
    const id = await ingest();
    await image(id, 1);
    const [path = ''] = await storedFiles(id);
    await rm(join(service.dataDir, path));
    const before = office.conversions;
    expect([(await image(id, 3)).status, office.conversions]).toEqual([200, before + 1]);
  });

  it('are numbered on in appended files', async () => {
    const id = await ingest();
    const form = new FormData();
    form.append('file', new Blob([numberedPdf(2, 'Pike')], { type: 'application/pdf' }), 'pike.pdf');
    form.append('update_strategy', 'add');
    await service.client.post(`/documents/${id}/update_file`, form);
    await documents.settled(id);
    expect(await find(id, 1, 'Pike page 2', { anywhere: true })).toMatchObject({
      page_number: 5,
      page_count: 5,
    });
  });

  it('are not there for somebody who may not read the document', async () => {
    const id = await ingest();
    const before = office.conversions;
    const tenant = await service.client.post('/cloud/generate_uri', { name: 'other' });
    const other = service.as(/:([\w.-]+)@/.exec(tenant.text)?.[1] ?? '');
    expect((await image(id, 1, other)).status).toBe(404);
    expect((await image(id, 1, service.as(null))).status).toBe(401);
    expect(office.conversions).toBe(before);
  });
});
