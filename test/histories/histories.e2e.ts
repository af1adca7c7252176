import { textOf, type Chunk, type DocumentRecord, type Documents } from '../support/documents.js';
import { FakeEmbeddedService } from '../support/fake-embedded-service.js';
import { Random } from '../support/random.js';
import type { Service } from '../support/service.js';
import { VersionHistory } from './version-history.js';

const CLIENTS = Number(process.env['CLIENTS'] ?? '10');
/** Requests of each client. */
const REQUESTS = Number(process.env['REQUESTS'] ?? '25');
const DOCUMENTS = 20;
/** Searched for by its parts, one after another. */
const LONG_QUESTION = 'How many cables did the buoy drift? '.repeat(30);

jest.setTimeout(180_000 + CLIENTS * REQUESTS * 500);

describe(`${CLIENTS} clients that update, query and delete ${DOCUMENTS} documents at random`, () => {
  let embedded: FakeEmbeddedService;
  let service: Service;
  let documents: Documents;
  const histories = new Map<string, VersionHistory>();
  /** The documents that are there, and those whose deletion is on its way. */
  const present: VersionHistory[] = [];
  let serial = 0;

  beforeAll(async () => {
    embedded = await FakeEmbeddedService.start({ CHUNK_SIZE: '32', CHUNK_OVERLAP: '8' });
    ({ service, documents } = embedded);
  });
  afterAll(() => embedded.stop());

  it('see one version of a document whole in every answer', async () => {
    for (let made = 0; made < DOCUMENTS; made += 1) await create();
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(new Random(number + 1))));
    const reads = [...histories.values()].reduce((sum, history) => sum + history.reads.length, 0);
    expect(reads).toBeGreaterThan(CLIENTS * REQUESTS);
    expect([...histories.values()].flatMap((history) => history.violations())).toEqual([]);
  });

  async function client(random: Random): Promise<void> {
    for (let request = 0; request < REQUESTS; request += 1) {
      const one = present[random.below(present.length)];
      const kind = random.next();
      if (one === undefined || kind < 0.02) await replaceByAnother(one);
      else if (kind < 0.2) await update(one, 'add');
      else if (kind < 0.4) await update(one, 'replace');
      else if (kind < 0.6) await readChunks(one);
      else if (kind < 0.7) await readAllChunks(random);
      else if (kind < 0.85) await readText(one);
      else await readBySources(one);
    }
  }

  async function create(): Promise<void> {
    const content = text();
    const sentAt = performance.now();
    const { external_id: id } = await documents.ingestText(content);
    const history = new VersionHistory(id, content, sentAt, performance.now());
    histories.set(id, history);
    present.push(history);
  }

  async function replaceByAnother(one: VersionHistory | undefined): Promise<void> {
    if (one !== undefined) {
      present.splice(present.indexOf(one), 1);
      const sentAt = performance.now();
      const answer = await service.client.delete(`/documents/${one.id}`);
      expect(answer.status).toBe(200);
      one.deleted(sentAt, performance.now());
    }
    await create();
  }

  async function update(one: VersionHistory, strategy: 'add' | 'replace'): Promise<void> {
    const content = text();
    const sentAt = performance.now();
    const answer = await service.client.post(`/documents/${one.id}/update_text?update_strategy=${strategy}`, {
      content,
    });
    if (answer.status === 404) {
      read(one.id, 'update_text', null, sentAt);
      return;
    }
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    const { version } = (answer.json() as DocumentRecord).system_metadata;
    one.wrote({ version, strategy, content, sentAt, answeredAt: performance.now() });
  }

  async function readChunks(one: VersionHistory): Promise<void> {
    const sentAt = performance.now();
    readOf(one.id, '/retrieve/chunks', await documents.chunks(one.id), sentAt);
  }

  /** All documents in one answer: each of them whole. */
  async function readAllChunks(random: Random): Promise<void> {
    const before = [...present];
    const sentAt = performance.now();
    const query = random.next() < 0.5 ? 'anything' : LONG_QUESTION;
    const answer = await service.client.post('/retrieve/chunks/grouped', { query, k: 1000 });
    const { chunks } = answer.json() as { chunks: Chunk[] };
    const found = new Map<string, Chunk[]>(before.map(({ id }) => [id, []]));
    for (const chunk of chunks) {
      if (!histories.has(chunk.document_id)) continue; // not known as completed yet
      found.set(chunk.document_id, [...(found.get(chunk.document_id) ?? []), chunk]);
    }
    for (const [id, ofOne] of found) {
      readOf(
        id,
        '/retrieve/chunks/grouped',
        ofOne.sort((a, b) => a.chunk_number - b.chunk_number),
        sentAt,
      );
    }
  }

  async function readText(one: VersionHistory): Promise<void> {
    const sentAt = performance.now();
    const answer = await service.client.post('/documents', {
      document_filters: { external_id: one.id },
      fields: ['system_metadata.content', 'system_metadata.version'],
    });
    const { documents: records } = answer.json() as { documents: DocumentRecord[] };
    const { content = null, version = null } = records[0]?.system_metadata ?? {};
    read(one.id, '/documents', content, sentAt, version);
  }

  /** The prompt's chunks are those of one version: their numbers have no gap, and what is quoted stands in its text. */
  async function readBySources(one: VersionHistory): Promise<void> {
    const answer = await service.client.post('/query', {
      query: 'How many cables did the buoy drift?',
      k: 1000,
      filters: { external_id: one.id },
    });
    const { sources } = answer.json() as { sources: { chunk_number: number }[] };
    const numbers = sources.map(({ chunk_number }) => chunk_number).sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  }

  function readOf(id: string, how: string, chunks: readonly Chunk[], sentAt: number): void {
    read(id, how, chunks.length === 0 ? null : covered(chunks), sentAt);
  }

  /** @param version that the answer told beside the text; null when it told none. */
  function read(
    id: string,
    how: string,
    content: string | null,
    sentAt: number,
    version: number | null = null,
  ): void {
    histories.get(id)?.reads.push({ how, text: content, version, sentAt, answeredAt: performance.now() });
  }

  /** Some chunks of text that no other version has. */
  function text(): string {
    serial += 1;
    return Array.from(
      { length: 1 + (serial % 9) },
      (_, line) =>
        `Buoy ${serial}.${line} drifted ${(serial * 7919) % 1013} cables north of pier ${serial % 97}.`,
    ).join(' ');
  }
});

/** A gap or a number twice is a mix of versions, which no version equals. */
function covered(chunks: readonly Chunk[]): string {
  try {
    return textOf(chunks);
  } catch (error) {
    return String(error);
  }
}
