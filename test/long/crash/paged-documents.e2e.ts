import { Documents, type DocumentRecord } from '../../support/documents.js';
import { numberedPdf } from '../../support/minimal-pdf.js';
import { Random } from '../../support/random.js';
import { Service } from '../../support/service.js';
import { findOrphans } from './invariants.js';
import { pause } from '../../support/until.js';

/** PAGE_KILLS=50 for the long run. */
const KILLS = Number(process.env['PAGE_KILLS'] ?? '3');
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

/** Pages of a document by file name: enough for several batches. */
const PAGES = { heron: 20, pike: 12 } as const;
type Name = keyof typeof PAGES;

describe(`kill -9 at ${KILLS} random points over documents with page images (SEED=${SEED})`, () => {
  const source = new Random(SEED);
  let service: Service;
  let documents: Documents;
  beforeAll(async () => {
    service = await Service.start();
    documents = new Documents(() => service.client);
  });
  afterAll(() => service.stop());

  const formOf = (name: Name): FormData => {
    const form = new FormData();
    form.append('file', new Blob([numberedPdf(PAGES[name], name)]), `${name}.pdf`);
    form.append('use_colpali', 'true');
    return form;
  };
  const nameOf = ({ filename }: DocumentRecord): Name => (filename === 'heron.pdf' ? 'heron' : 'pike');

  async function all(): Promise<readonly DocumentRecord[]> {
    const answer = await service.client.post('/documents', { limit: 1_000 });
    return (answer.json() as { documents: readonly DocumentRecord[] }).documents;
  }

  /** Ingests a document, replaces its file, requeues it, or deletes it. */
  async function change(): Promise<void> {
    const known = await all();
    const one = known[Math.floor(source.next() * known.length)];
    const kind = source.next();
    if (one === undefined || kind < 0.3) {
      await service.client.post('/ingest/file', formOf('heron'));
      return;
    }
    const { external_id: id } = one;
    if (kind < 0.6) {
      const form = formOf(nameOf(one) === 'heron' ? 'pike' : 'heron');
      form.append('update_strategy', 'replace');
      await service.client.post(`/documents/${id}/update_file`, form);
    } else if (kind < 0.85) {
      await service.client.post('/ingest/requeue', { jobs: [{ external_id: id }] });
    } else {
      await service.client.delete(`/documents/${id}`);
    }
  }

  it('leaves no orphaned rows, vectors or files, and every document with its pages', async () => {
    await service.client.post('/ingest/file', formOf('heron'));
    for (let kills = 1; kills <= KILLS; kills += 1) {
      const work = Promise.allSettled([change(), change()]);
      await pause(source.next() * 3_000, 'the moment of a kill');
      await service.kill9();
      await work;
      await service.restart();
    }
    for (const { external_id: id } of await all()) {
      const record = await documents.settled(id);
      const count = PAGES[nameOf(record)];
      expect(record.system_metadata).toMatchObject({ status: 'completed', page_count: count });
      const range = { document_id: id, start_page: 1, end_page: 100 };
      const answer = await service.client.post('/documents/pages', range);
      const { pages } = answer.json() as { pages: readonly string[] };
      expect([pages.length, new Set(pages).size]).toEqual([count, count]);
    }
    expect(await service.terminate()).toMatchObject({ code: 0 });
    expect(await findOrphans(service.environment)).toEqual([]);
    await service.restart();
  });
});
