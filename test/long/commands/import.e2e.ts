import { Documents, type DocumentRecord } from '../../support/documents.js';
import { numberedPdf } from '../../support/minimal-pdf.js';
import { ServiceProcess, type Ended } from '../../support/process.js';
import { Service } from '../../support/service.js';

describe('lectern import', () => {
  let from: Service;
  let to: Service;
  beforeAll(async () => {
    [from, to] = await Promise.all([Service.start(), Service.start()]);
    const documents = new Documents(() => from.client);
    await from.client.post('/folders', { name: 'empty', full_path: '/a/empty', description: 'For later' });
    const note = await documents.ingestText('The lamp is lit at dusk.', {
      filename: 'lamp.txt',
      folder_name: '/a/b',
      end_user_id: 'ann',
      metadata: { kind: 'note', price: '1.10', since: '2026-01-01' },
      metadata_types: { price: 'decimal', since: 'date' },
    });
    await from.client.post(`/documents/${note.external_id}/update_text?update_strategy=add`, {
      content: 'And put out at dawn.',
    });
    const pages = { use_colpali: 'true', metadata: '{"kind": "report"}', folder_name: '/a' };
    await documents.ingestFile('two.pdf', numberedPdf(2, 'Buoy'), pages);
    await documents.ingestFile('broken.pdf', new TextEncoder().encode('%PDF-1.7 broken'));
  });
  afterAll(async () => {
    await Promise.all([from.stop(), to.stop()]);
  });

  const run = (args: readonly string[]): Promise<Ended> =>
    ServiceProcess.spawn({}, 'dist/cli/lectern.js', ['import', ...args]).end();
  const fromTo = (): string[] => [
    ...['--from', from.url, '--from-key', from.adminKey],
    ...['--url', to.url, '--key', to.adminKey],
  ];
  const stored = async (service: Service): Promise<DocumentRecord[]> => {
    const answer = await service.client.post('/documents', { sort_by: 'filename', sort_direction: 'asc' });
    return (answer.json() as { readonly documents: DocumentRecord[] }).documents;
  };

  it('copies folders and documents with their text, files, metadata and types', async () => {
    const { code, output } = await run(fromTo());
    expect(output).toContain('3 folders, 3 documents: 2 copied, 0 already copied, 1 skipped, 0 failed');
    expect(output).toContain('skipped: broken.pdf (its status in the source is failed)');
    expect(code).toBe(0);

    const [sources, copies] = [await stored(from), await stored(to)];
    const sourceOf = (name: string) => sources.find(({ filename }) => filename === name);
    expect(copies.map(({ filename }) => filename)).toEqual(['lamp.txt', 'two.pdf']);
    expect(copies[0]).toMatchObject({
      folder_path: '/a/b',
      end_user_id: 'ann',
      metadata: {
        kind: 'note',
        price: '1.1',
        since: '2026-01-01',
        imported_from: sourceOf('lamp.txt')?.external_id,
      },
      metadata_types: { price: 'decimal', since: 'date' },
    });
    const documents = new Documents(() => to.client);
    expect(await documents.text(copies[0]!.external_id)).toBe(
      'The lamp is lit at dusk.\n\nAnd put out at dawn.',
    );
    expect(copies[1]).toMatchObject({
      folder_path: '/a',
      content_type: 'application/pdf',
      system_metadata: { status: 'completed', page_count: 2, use_colpali: true },
    });
    const file = await to.client.fetch('GET', `/documents/${copies[1]!.external_id}/file`);
    expect(Buffer.from(await file.arrayBuffer()).equals(Buffer.from(numberedPdf(2, 'Buoy')))).toBe(true);
    expect((await to.client.get('/folders/a/empty')).json()).toMatchObject({ description: 'For later' });
  });

  it('skips documents copied before, and accepts a connection URI', async () => {
    await new Documents(() => from.client).ingestText('New since.', { filename: 'new.txt' });
    const uri = `morphik://me:${from.adminKey}@${from.url.replace('http://', '')}`;
    const { code, output } = await run(['--from', uri, '--url', to.url, '--key', to.adminKey]);
    expect(output).toContain('4 documents: 1 copied, 2 already copied, 1 skipped, 0 failed');
    expect(code).toBe(0);
    expect(await stored(to)).toHaveLength(3);
  });

  it('reports errors in one sentence, without keys', async () => {
    const wrong = await run([
      '--from',
      from.url,
      '--from-key',
      'wr0ng',
      '--url',
      to.url,
      '--key',
      to.adminKey,
    ]);
    expect([wrong.code, wrong.output]).toEqual([1, expect.stringContaining('401')]);
    expect(wrong.output).not.toContain('wr0ng');
    const nobody = await run(['--from', 'http://127.0.0.1:9', '--url', to.url]);
    expect([nobody.code, nobody.output]).toEqual([
      1,
      expect.stringMatching(
        /^Cannot reach the service at \S+ \(.+\)\. Start it, or set another URL with --from\.$/,
      ),
    ]);
    expect((await run([])).output).toContain('--from is required');
    expect((await run(['--from', 'ftp://x'])).output).toContain('neither an http(s) URL');
  });
});
