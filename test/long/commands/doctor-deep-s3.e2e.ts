import { readFile } from 'node:fs/promises';
import { Documents } from '../../support/documents.js';
import { startFakeS3, type FakeS3 } from '../../support/fake-s3.js';
import { numberedPdf } from '../../support/minimal-pdf.js';
import { ServiceProcess, type Ended } from '../../support/process.js';
import { Service } from '../../support/service.js';

const REPORT = 'demo/documents/observatory-annual-report-2025.pdf';

describe('lectern doctor --deep with files in S3', () => {
  let s3: FakeS3;
  let service: Service;
  beforeAll(async () => {
    s3 = await startFakeS3('files');
    service = await Service.start({
      STORAGE: 's3',
      S3_BUCKET: 'files',
      S3_ACCESS_KEY: 'id',
      S3_SECRET_KEY: 'secret',
      S3_ENDPOINT: s3.url,
    });
  });
  afterAll(async () => {
    await service.stop();
    await s3.close();
  });

  const doctor = (...args: string[]): Promise<Ended> =>
    ServiceProcess.spawn(service.environment, 'dist/cli/lectern.js', ['doctor', '--deep', ...args]).end();

  it('finds lost, changed and stray objects, and repairs what can be made again', async () => {
    const documents = new Documents(() => service.client);
    const paged = await documents.ingestFile('pages.pdf', numberedPdf(2, 'harbour'), { use_colpali: 'true' });
    const { external_id: report } = await documents.ingestFile('report.pdf', await readFile(REPORT));
    const { external_id: notes } = await documents.ingestFile('notes.txt', Buffer.from('The keeper wrote.'));
    await service.terminate();
    const sound = await doctor();
    expect([sound.code, sound.output]).toEqual([0, expect.stringMatching(/\n\d\d checks, no damage$/)]);

    const keyOf = (id: string): string => [...s3.objects.keys()].find((key) => key.includes(id)) ?? '';
    const page = [...s3.objects.keys()].find((key) => key.endsWith('.png')) ?? '';
    const [lost, changed] = [keyOf(report), keyOf(notes)];
    const kept = new Map([lost, changed].map((key) => [key, s3.objects.get(key)!]));
    const stray = changed.replace(/[^/]+$/, '00000000-0000-4000-8000-000000000000');
    s3.objects.delete(page);
    s3.objects.delete(lost);
    s3.objects.set(changed, { body: Buffer.from('The keeper wrota.'), contentType: 'text/plain' });
    s3.objects.set(stray, { body: Buffer.from('stray'), contentType: undefined });
    const found = await doctor();
    expect(found.code).toBe(1);
    for (const line of [
      'files of pages: 1.',
      'files of documents: 2.',
      `${lost} is missing`,
      `${changed} has a different SHA-256 than recorded`,
      'files that no row refers to: 1.',
      `${stray} (5 bytes)`,
    ]) {
      expect(found.output).toContain(line);
    }

    for (const [key, object] of kept) s3.objects.set(key, object); // as from a backup
    const repaired = await doctor('--repair', '--yes');
    expect([repaired.code, repaired.output]).toEqual([0, expect.stringContaining('no damage')]);
    expect(s3.objects.has(stray)).toBe(false);
    await service.restart();
    const { system_metadata: state } = await documents.settled(paged.external_id);
    expect(state.status).toBe('completed');
    const range = { document_id: paged.external_id, start_page: 1, end_page: 2 };
    const { pages } = (await service.client.post('/documents/pages', range)).json() as { pages: string[] };
    expect(pages).toHaveLength(2);
    await service.terminate();
    expect((await doctor()).code).toBe(0);
  });
});
