import { mkdtemp, rm, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Documents, type DocumentRecord } from '../../support/documents.js';
import { minimalPdf } from '../../support/minimal-pdf.js';
import { ServiceProcess, type Ended } from '../../support/process.js';
import { Service } from '../../support/service.js';

describe('lectern search', () => {
  let service: Service;
  let lamp: DocumentRecord;
  beforeAll(async () => {
    service = await Service.start();
    const documents = new Documents(() => service.client);
    lamp = await documents.ingestText('The harbour lamp is lit at dusk.\n\nIts keeper sleeps by day.', {
      filename: 'lamp.txt',
      folder_name: '/harbour/logs',
      metadata: { kind: 'log' },
    });
    await documents.ingestFile(
      'boats.pdf',
      minimalPdf([
        { size: [400, 200], content: 'BT /F1 12 Tf 20 100 Td (Boats leave from the pier.) Tj ET' },
      ]),
    );
  });
  afterAll(() => service.stop());

  const search = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ended> =>
    ServiceProcess.spawn(
      { LECTERN_URL: service.url, LECTERN_API_KEY: service.adminKey, ...more },
      'dist/cli/lectern.js',
      ['search', ...args],
    ).end();

  it('prints passages, best first, with score, document and page', async () => {
    const { code, output } = await search(['When', 'is the lamp lit?']);
    expect(code).toBe(0);
    expect(output.split('\n')).toEqual([
      expect.stringMatching(/^1\. 0\.\d{3} {2}lamp\.txt, chunk 0$/),
      '   The harbour lamp is lit at dusk.',
      '',
      '   Its keeper sleeps by day.',
      '',
      expect.stringMatching(/^2\. 0\.\d{3} {2}boats\.pdf, page 1$/),
      '   Boats leave from the pier.',
    ]);
  });

  it('limits results by number, folder and filter', async () => {
    expect((await search(['lamp', '--k', '1'])).output.match(/^\d\. /gm)).toEqual(['1. ']);
    expect((await search(['boats', '--folder', '/harbour'])).output).not.toContain('boats.pdf');
    expect((await search(['boats', '--filter', '{"kind": "log"}'])).output).not.toContain('boats.pdf');
    const nothing = await search(['boats', '--folder', '/nowhere']);
    expect([nothing.code, nothing.output]).toEqual([0, 'Nothing found.']);
  });

  it('prints the JSON response', async () => {
    const { code, output } = await search(['lamp', '--k', '1', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject([
      { document_id: lamp.external_id, chunk_number: 0, filename: 'lamp.txt', is_padding: false },
    ]);
  });

  it.each([
    [['--filter', '{', 'lamp'], '--filter must be JSON'],
    [['--k', 'many', 'lamp'], '--k must be an integer from 1'],
    [['--url', 'here', 'lamp'], '--url (or LECTERN_URL) is not an http(s) URL: here'],
    [[], 'search needs a question'],
    [['--wrong', 'lamp'], "Unknown option '--wrong'"],
  ])('rejects %j with a hint, and prints the usage', async (args, message) => {
    const { code, output } = await search(args);
    expect(code).toBe(1);
    expect(output).toContain(message);
    expect(output).toContain('Usage: lectern search <question>');
  });

  it('reports the invalid part of a filter', async () => {
    const { code, output } = await search(['lamp', '--filter', '{"year": {"$near": 1}}']);
    expect(code).toBe(1);
    expect(output).toMatch(/^422: body\.filters\.year\.\$near: /);
  });

  describe('without a valid key', () => {
    let elsewhere: string;
    beforeEach(async () => {
      elsewhere = await mkdtemp(join(tmpdir(), 'lectern-elsewhere-'));
    });
    afterEach(() => rm(elsewhere, { recursive: true, force: true }));

    /** Calls the command from another folder: only the port identifies the service. */
    const local = (more: Readonly<Record<string, string>> = {}): Promise<Ended> =>
      search(['lamp'], {
        LECTERN_URL: '',
        LECTERN_API_KEY: '',
        PORT: new URL(service.url).port,
        DATA_DIR: elsewhere,
        ...more,
      });

    it('reports where it looked for a key, and how to set one', async () => {
      const { code, output } = await local();
      expect(code).toBe(1);
      expect(output).toMatch(/^401: /);
      expect(output).toContain(`no key was given, and none was found in ${join(elsewhere, 'api-key')}`);
      for (const way of ['--key', 'LECTERN_API_KEY', 'DATA_DIR']) expect(output).toContain(way);
    });

    it('reports the file of the rejected key', async () => {
      await mkdir(elsewhere, { recursive: true });
      await writeFile(join(elsewhere, 'api-key'), 'stale\n');
      const { code, output } = await local();
      expect(code).toBe(1);
      expect(output).toContain(`the key came from ${join(elsewhere, 'api-key')}`);
    });

    it('reports a missing permission', async () => {
      const issued = await service.client.post('/keys', { name: 'writer', scopes: ['write'] });
      const { code, output } = await search(['lamp'], {
        LECTERN_API_KEY: (issued.json() as { key: string }).key,
      });
      expect(code).toBe(1);
      expect(output).toMatch(/^403: .*"read".*the key came from LECTERN_API_KEY: set another one with --key/);
    });
  });
});
