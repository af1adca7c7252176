import { Documents, type DocumentRecord } from '../../support/documents.js';
import { startFakeEmbeddings, type FakeEmbeddings } from '../../support/fake-embeddings.mjs';
import { Random } from '../../support/random.js';
import { Service } from '../../support/service.js';
import { findOrphans } from './invariants.js';
import { pause } from '../../support/until.js';

/** Number of kills, and after how many the service must become idle. KILLS=200 for the long run. */
const KILLS = Number(process.env['KILLS'] ?? (process.env['DATABASE_URL'] === undefined ? '2' : '4'));
const KILLS_BETWEEN_RESTS = KILLS > 20 ? 25 : 4;

/** Another worker takes over the job of a killed one within this time; no document waits longer. */
const RESUMED_WITHIN_MS = 60_000;

/** Texts per call and concurrent calls: the most that can be in flight at a kill. */
const BATCH_SIZE = 8;
const BATCHES_IN_FLIGHT = 4;
/**
 * Documents of up to this many chunks are not staged: the swapped-in version and the next one are recomputed.
 */
const UNSTAGED = 2 * 8;

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

/**
 * The state of a document as the clients know it: all texts it may have, since some requests got no response.
 */
interface Known {
  readonly id: string;
  texts: readonly string[];
  /** A deletion was sent without a response. */
  mayBeGone: boolean;
  /** A new file was accepted; a worker parses it before any other update. */
  hasNewFile: boolean;
}

describe(`kill -9 at ${KILLS} random points of ingestion, update and deletion (SEED=${SEED})`, () => {
  const source = new Random(SEED);
  const random = (): number => source.next();
  let embeddings: FakeEmbeddings;
  let service: Service;
  let documents: Documents;
  /** Embedded texts, and how often each was sent to the embedder. */
  const embedded = new Map<string, number>();
  const known = new Map<string, Known>();
  const deleted = new Set<string>();
  let serial = 0;

  beforeAll(async () => {
    embeddings = await startFakeEmbeddings({
      delayMs: 60,
      answer: ({ body }) => {
        for (const text of body['input'] as string[]) embedded.set(text, (embedded.get(text) ?? 0) + 1);
        return undefined;
      },
    });
    service = await Service.start({
      EMBEDDING_MODEL: 'openai/fake',
      EMBEDDING_API_BASE: embeddings.url,
      EMBEDDING_DIMENSIONS: '384',
      EMBEDDING_BATCH_SIZE: String(BATCH_SIZE),
      CHUNK_SIZE: '64',
      CHUNK_OVERLAP: '0',
    });
    documents = new Documents(() => service.client);
  });
  afterAll(async () => {
    await service.stop();
    await embeddings.close();
  });

  it('leaves no orphans, completes every document, and embeds no finished batch again', async () => {
    for (let kills = 1; kills <= KILLS; kills += 1) {
      const work = Promise.allSettled(Array.from({ length: 3 }, () => oneRequest()));
      await pause(random() * 1_500, 'the moment of a kill');
      await service.kill9();
      await work;
      await service.restart();
      if (kills % KILLS_BETWEEN_RESTS === 0 || kills === KILLS) await expectRest();
    }
    const repeated = [...embedded.values()].reduce((sum, times) => sum + times - 1, 0);
    const inFlight = KILLS * (BATCHES_IN_FLIGHT * BATCH_SIZE + UNSTAGED);
    process.stdout.write(
      `${embedded.size} texts, ${repeated} embedded again after ${KILLS} kills (${inFlight} may have been in flight)\n`,
    );
    expect(repeated).toBeLessThanOrEqual(inFlight);
  });

  /** Expects that all started work completes, and that nothing remains of rejected documents. */
  async function expectRest(): Promise<void> {
    let state = await progress();
    for (let changed = performance.now(); state.includes('"processing"');) {
      await pause(100, 'the progress is read ten times a second');
      const before = state;
      state = await progress();
      if (state !== before) changed = performance.now();
      expect([state, performance.now() - changed < RESUMED_WITHIN_MS]).toEqual([state, true]);
    }
    // None, if the service was killed before it took the first document.
    expect(Object.keys(await statusCounts()).filter((status) => status !== 'completed')).toEqual([]);
    for (const one of [...known.values()]) await expectOneOfItsTexts(one);
    for (const id of deleted) expect((await service.client.get(`/documents/${id}`)).status).toBe(404);
    expect(await service.terminate()).toMatchObject({ code: 0 });
    expect(await findOrphans(service.environment)).toEqual([]);
    await service.restart();
  }

  async function expectOneOfItsTexts(one: Known): Promise<void> {
    const answer = await service.client.get(`/documents/${one.id}`);
    if (answer.status === 404) {
      expect([one.id, one.mayBeGone]).toEqual([one.id, true]);
      known.delete(one.id);
      deleted.add(one.id);
      return;
    }
    const text = await documents.text(one.id);
    expect(one.texts).toContain(text);
    one.texts = [text];
    one.mayBeGone = false;
    one.hasNewFile = false;
  }

  /** Returns the progress of every document as its clients see it. */
  async function progress(): Promise<string> {
    const answer = await service.client.post('/documents', { limit: 1_000 });
    const { documents: all } = answer.json() as { documents: readonly DocumentRecord[] };
    return JSON.stringify(
      all.map(({ external_id: id, system_metadata: { status, progress } }) => [id, status, progress]),
    );
  }

  /** Counts documents by status, including those whose ingestion got no response. */
  async function statusCounts(): Promise<Readonly<Record<string, number>>> {
    const answer = await service.client.post('/documents', {
      return_documents: false,
      include_status_counts: true,
    });
    const { status_counts: counts } = answer.json() as { status_counts: Record<string, number> };
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  }

  async function oneRequest(): Promise<void> {
    const idle = [...known.values()].filter(
      ({ texts, mayBeGone, hasNewFile }) => texts.length === 1 && !mayBeGone && !hasNewFile,
    );
    const one = idle[Math.floor(random() * idle.length)];
    const kind = random();
    if (one === undefined || kind < 0.5) return ingest();
    if (kind < 0.75) return update(one, kind < 0.63 ? 'add' : 'replace');
    if (kind < 0.87) return updateFile(one);
    return remove(one);
  }

  async function ingest(): Promise<void> {
    const content = uniqueText(1 + Math.floor(random() ** 3 * 300));
    const form = new FormData();
    form.append('file', new Blob([content]), 'document.txt');
    const answer =
      random() < 0.5
        ? await service.client.post('/ingest/file', form)
        : await service.client.post('/ingest/text', { content });
    const id = (answer.json() as DocumentRecord).external_id;
    known.set(id, { id, texts: [content], mayBeGone: false, hasNewFile: false });
  }

  async function update(one: Known, strategy: 'add' | 'replace'): Promise<void> {
    const [before = ''] = one.texts;
    const content = uniqueText(1 + Math.floor(random() ** 3 * 60));
    const after = strategy === 'add' ? `${before}\n\n${content}` : content;
    one.texts = [before, after];
    const answer = await service.client.post(`/documents/${one.id}/update_text?update_strategy=${strategy}`, {
      content,
    });
    // 409: the first version is not ready yet.
    one.texts = [answer.status === 200 ? after : before];
  }

  async function updateFile(one: Known): Promise<void> {
    const [before = ''] = one.texts;
    const content = uniqueText(1 + Math.floor(random() ** 2 * 200));
    one.texts = [before, content];
    one.hasNewFile = true;
    const form = new FormData();
    form.append('file', new Blob([content]), 'next.txt');
    form.append('update_strategy', 'replace');
    const answer = await service.client.post(`/documents/${one.id}/update_file`, form);
    one.texts = [answer.status === 200 ? content : before];
  }

  async function remove(one: Known): Promise<void> {
    one.mayBeGone = true;
    const answer = await service.client.delete(`/documents/${one.id}`);
    expect(answer.status).toBe(200);
    known.delete(one.id);
    deleted.add(one.id);
  }

  /** Returns paragraphs of about one chunk each that no other text contains. */
  function uniqueText(paragraphs: number): string {
    return Array.from({ length: paragraphs }, () => {
      serial += 1;
      return Array.from(
        { length: 4 },
        (_, line) =>
          `Buoy ${serial}.${line} drifted ${(serial * 7919) % 1013} cables north of pier ${serial % 97}.`,
      ).join(' ');
    }).join('\n\n');
  }
});
