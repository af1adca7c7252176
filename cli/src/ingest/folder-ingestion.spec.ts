import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LecternClient } from '@lectern/client';
import { FolderIngestion } from './folder-ingestion.js';
import { KnownDocuments } from './known-documents.js';
import { preview } from './progress-report.js';

describe('an unreadable file', () => {
  it('fails alone, and the other files are planned', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lectern-unreadable-'));
    await writeFile(join(folder, 'a.txt'), 'Pilots board at buoy nine.');
    const client = new LecternClient({
      url: 'http://lectern.test',
      fetch: () => Promise.resolve(Response.json({ documents: [], next_skip: null })),
    });
    const target = { folder: undefined, flat: false, endUser: undefined, metadata: {} };
    const ingestion = new FolderIngestion(new KnownDocuments(client, target));
    const files = ['a.txt', 'gone.txt'].map((name) => ({ path: join(folder, name), sourcePath: name }));
    const plans = await ingestion.plan(files);
    expect(preview(plans)).toBe('new           a.txt\nunreadable    gone.txt\n1 of 2 files would be sent');
    const silent = { begun: () => undefined, moved: () => undefined, ended: () => undefined };
    expect(await ingestion.run(plans.slice(1), 1, silent)).toEqual([
      { file: files[1], outcome: 'failed', reason: 'it cannot be read (ENOENT)' },
    ]);
    await rm(folder, { recursive: true });
  });
});
