import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../../support/client.js';
import { FakeEmbeddedService } from '../../support/fake-embedded-service.js';
import { onEmbedded } from '../../support/server-database.js';

const FIXTURES = join(__dirname, '../../fixtures/office');
const isInstalled = spawnSync('soffice', ['--version']).status === 0;

onEmbedded('files that LibreOffice reads', () => {
  (isInstalled ? it : it.skip)(
    'are found by their words, under their own type (needs LibreOffice)',
    async () => {
      const { documents, stop } = await started();
      try {
        const record = await documents.ingestFile(
          'minutes.doc',
          await readFile(join(FIXTURES, 'minutes.doc')),
        );
        expect([record.system_metadata.status, record.system_metadata.error]).toEqual([
          'completed',
          undefined,
        ]);
        expect(record.content_type).toBe('application/msword');
        const [found] = await documents.retrieve({ query: 'Who visits Netherfield?', k: 1 });
        expect(found?.content).toContain('| Mr Bennet | Visit Netherfield |');
      } finally {
        await stop();
      }
    },
  );

  (isInstalled ? it : it.skip)(
    'have pages to look at if page images were made (needs LibreOffice)',
    async () => {
      const { documents, client, stop } = await started();
      try {
        const { external_id: id } = await documents.ingestFile(
          'minutes.doc',
          await readFile(join(FIXTURES, 'minutes.doc')),
          { use_colpali: 'true' },
        );
        const answer = await client.fetch('GET', `/documents/${id}/pages/1/image`);
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
        expect(
          Buffer.from(await answer.arrayBuffer())
            .subarray(1, 4)
            .toString(),
        ).toBe('PNG');
        const places = await client.post(`/documents/${id}/pages/1/places`, { text: 'Netherfield' });
        expect(places.json()).toMatchObject({ page_number: 1, page_count: 1, places: [{}] });
        expect((await client.get(`/documents/${id}/pages/2/image`)).status).toBe(404);
      } finally {
        await stop();
      }
    },
  );

  it('fail with an instruction to install LibreOffice if it is missing', async () => {
    const { documents, stop } = await started({ SOFFICE_PATH: '/nowhere/soffice' });
    try {
      const { system_metadata: told } = await documents.ingestFile(
        'minutes.doc',
        await readFile(join(FIXTURES, 'minutes.doc')),
      );
      expect([told.status, told.error]).toEqual([
        'failed',
        'Files of the format DOC are read by LibreOffice, which was not found at SOFFICE_PATH: install LibreOffice (or set SOFFICE_PATH) and requeue the document, or convert the file to DOCX, XLSX, PPTX or PDF and upload that.',
      ]);
    } finally {
      await stop();
    }
  });

  async function started(settings: Readonly<Record<string, string>> = {}): Promise<{
    documents: FakeEmbeddedService['documents'];
    client: Client;
    stop: () => Promise<void>;
  }> {
    const embedded = await FakeEmbeddedService.start(settings);
    const { documents, service } = embedded;
    return { documents, client: service.client, stop: () => embedded.stop() };
  }
});
