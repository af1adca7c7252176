import { Documents, type DocumentRecord } from '../../support/documents.js';
import { startFakeEmbeddings, type FakeEmbeddings } from '../../support/fake-embeddings.mjs';
import { Random } from '../../support/random.js';
import { Service } from '../../support/service.js';
import { findOrphans } from './invariants.js';

/** Kills in all, and after how many of them everything has to come to rest. KILLS=200 for the long run. */
const KILLS = Number(process.env['KILLS'] ?? (process.env['DATABASE_URL'] === undefined ? '2' : '4'));
const KILLS_BETWEEN_RESTS = KILLS > 20 ? 25 : 4;

/** A killed worker's job is with another one by then: nothing stands still for longer. */
const RESUMED_WITHIN_MS = 60_000;

/** Texts in one call, and calls at once: what may be in flight when the process is killed. */
const BATCH_SIZE = 8;
const BATCHES_IN_FLIGHT = 4;
/** Documents of this many chunks are not staged: of the one that is swapped in and the next one nothing is kept. */
const UNSTAGED = 2 * 8;

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

jest.setTimeout(KILLS * 60_000 + 300_000);

/** A document as the clients know it: every text that it may have, since not every request was answered. */
interface Known {
  readonly id: string;
  texts: readonly string[];
  /** A delete was sent and not answered. */
  mayBeGone: boolean;
  /** A new file was taken for it, which a worker has to read before anything else is done to it. */
  hasNewFile: boolean;
}

describe(`kill -9 at ${KILLS} random points over ingestion, update and delete (SEED=${SEED})`, () => {
  const source = new Random(SEED);
  const random = (): number => source.next();
  let embeddings: FakeEmbeddings;
  let service: Service;
  let documents: Documents;
  /** Each text that came to the embedder, and how often. */
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

  it('leaves no orphan, ends every document, and embeds no finished batch again', async () => {
    for (let kills = 1; kills <= KILLS; kills += 1) {
      const work = Promise.allSettled(Array.from({ length: 3 }, () => oneRequest()));
      await pause(random() * 1_500);
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

  /** Everything that was begun goes on and ends, and nothing is left of what did not become a document. */
  async function expectRest(): Promise<void> {
    let state = await progress();
    for (let changed = performance.now(); state.includes('"processing"');) {
      await pause(100);
      const before = state;
      state = await progress();
      if (state !== before) changed = performance.now();
      expect([state, performance.now() - changed < RESUMED_WITHIN_MS]).toEqual([state, true]);
    }
    expect(Object.keys(await statusCounts())).toEqual(['completed']);
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

  /** How far every document is, as its clients see it. */
  async function progress(): Promise<string> {
    const answer = await service.client.post('/documents', { limit: 1_000 });
    const { documents: all } = answer.json() as { documents: readonly DocumentRecord[] };
    return JSON.stringify(
      all.map(({ external_id: id, system_metadata: { status, progress } }) => [id, status, progress]),
    );
  }

  /** Of all documents, those included whose ingestion was not answered; a status that none has is left out. */
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
    // 409: the first version is not there yet.
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

  /** Paragraphs of about one chunk each that no other text has. */
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

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
