import { textOf, type Chunk, type DocumentRecord, type Documents } from '../../../support/documents.js';
import { FakeEmbeddedService } from '../../../support/fake-embedded-service.js';
import { Random } from '../../../support/random.js';
import type { Answer } from '../../../support/client.js';
import type { Service } from '../../../support/service.js';
import { VersionHistory, type Write } from './version-history.js';
import { pause, until } from '../../../support/until.js';

const HISTORIES = Number(process.env['HISTORIES'] ?? '24');
/** The service is killed after this many histories. */
const HISTORIES_A_KILL = Number(process.env['HISTORIES_A_KILL'] ?? '12');
const SEED = Number(process.env['SEED'] ?? '1');
/** Documents that are updated concurrently, clients per document, and sequential requests per client. */
const AT_ONCE = 6;
const CLIENTS = 3;
const REQUESTS = 9;
/** Long enough to be searched in several parts. */
const LONG_QUESTION = 'How many cables did the buoy drift? '.repeat(30);

type Strategy = Write['strategy'];

/** The outcome of a request that a kill interrupted. */
const GONE = Symbol('the service died');

describe(`${HISTORIES} documents that clients update with texts, files and metadata, requeue, delete and read at random`, () => {
  let embedded: FakeEmbeddedService;
  let service: Service;
  let documents: Documents;
  const histories = new Map<string, VersionHistory>();
  const violations: string[] = [];
  const random = new Random(SEED);
  let serial = 0;
  let reads = 0;
  let kills = 0;
  let isDying = false;
  /** Resolved while the service is up. */
  let up: Promise<unknown> = Promise.resolve();

  beforeAll(async () => {
    embedded = await FakeEmbeddedService.start({
      CHUNK_SIZE: '32',
      CHUNK_OVERLAP: '8',
      UPDATE_STRATEGY: 'add',
    });
    ({ service, documents } = embedded);
  });
  afterAll(() => embedded.stop());

  it('are read in the confirmed versions, in order', async () => {
    let begun = 0;
    let ended = 0;
    const lives = Array.from({ length: AT_ONCE }, async () => {
      while (begun < HISTORIES) {
        begun += 1;
        await live();
        ended += 1;
        if (ended % HISTORIES_A_KILL === 0 && ended < HISTORIES) await kill();
      }
    });
    await Promise.all(lives);
    expect(violations).toEqual([]);
    expect(reads).toBeGreaterThan(HISTORIES * CLIENTS);
    expect(kills).toBe(Math.ceil(HISTORIES / HISTORIES_A_KILL) - 1);
  });

  /** Runs one document from its first version to the last read. */
  async function live(): Promise<void> {
    const history = await create();
    histories.set(history.id, history);
    await Promise.all(Array.from({ length: CLIENTS }, () => client(history)));
    await settled(history);
    if (!history.isDeleted) {
      // Only the record lists all versions.
      await readRecord(history, answered);
      await readChunks(history);
      await readText(history);
    }
    histories.delete(history.id);
    reads += history.reads.length;
    const found = history.violations();
    if (found.length > 0) violations.push(...found, history.toString());
    await request(() => service.client.delete(`/documents/${history.id}`));
  }

  async function kill(): Promise<void> {
    isDying = true;
    await pause(random.below(200), 'the moment of a kill');
    up = (async () => {
      await service.kill9();
      await service.restart();
    })();
    await up;
    kills += 1;
    isDying = false;
  }

  /** @returns GONE if the service died before the response; it has restarted by then. */
  async function request<T>(send: () => Promise<T>): Promise<T | typeof GONE> {
    await up;
    const before = kills;
    try {
      return await send();
    } catch (error) {
      if (!isDying && kills === before) throw error;
      await up;
      return GONE;
    }
  }

  /** Repeats a request until the service responds. */
  async function answered<T>(send: () => Promise<T>): Promise<T> {
    const { answer } = await until('the service responds', async () => {
      const received = await request(send);
      return received !== GONE && { answer: received };
    });
    return answer;
  }

  async function create(): Promise<VersionHistory> {
    const content = text();
    const record = await answered(() => documents.ingestText(content));
    return new VersionHistory(record.external_id, content);
  }

  async function settled(history: VersionHistory): Promise<void> {
    for (let status: string | undefined = 'processing'; status === 'processing';) {
      const answer = await answered(() => service.client.get(`/documents/${history.id}/status?wait=30`));
      ({ status } = answer.json() as { status?: string });
    }
  }

  async function client(history: VersionHistory): Promise<void> {
    for (let sent = 0; sent < REQUESTS; sent += 1) {
      const kind = random.next();
      if (kind < 0.12) await updateText(history, 'add');
      else if (kind < 0.24) await updateText(history, 'replace');
      else if (kind < 0.32) await updateFile(history, 'add');
      else if (kind < 0.42) await updateFile(history, 'replace');
      else if (kind < 0.45) await updateFile(history, 'replace', '%PDF-1.7 that nobody can read');
      else if (kind < 0.56) await updateMetadata(history);
      else if (kind < 0.62) await requeue(history);
      else if (kind < 0.635) await remove(history);
      else if (kind < 0.72) await readChunks(history);
      else if (kind < 0.75) await readAllChunks();
      else if (kind < 0.84) await readText(history);
      else if (kind < 0.92) await readRecord(history);
      else if (kind < 0.97) await readFile(history);
      else await readBySources(history);
    }
  }

  async function updateText(history: VersionHistory, strategy: Strategy): Promise<void> {
    const write = {
      kind: 'text',
      strategy,
      content: text(),
      filename: `${serial}.txt`,
      metadata: some(),
    } as const;
    const { content, filename, metadata } = write;
    const path = `/documents/${history.id}/update_text?update_strategy=${strategy}`;
    await wrote(history, write, () => service.client.post(path, { content, filename, metadata }));
  }

  /** @param broken bytes that cannot be parsed as their type; undefined: a valid text */
  async function updateFile(history: VersionHistory, strategy: Strategy, broken?: string): Promise<void> {
    const content = text();
    const filename = `${serial}.${broken === undefined ? 'txt' : 'pdf'}`;
    const metadata = some();
    const form = new FormData();
    form.append('file', new Blob([broken ?? content]), filename);
    form.append('update_strategy', strategy);
    form.append('metadata', JSON.stringify(metadata));
    const write = { kind: 'file', strategy, filename, metadata } as const;
    await wrote(history, { ...write, content: broken === undefined ? content : null }, () =>
      service.client.post(`/documents/${history.id}/update_file`, form),
    );
  }

  async function updateMetadata(history: VersionHistory): Promise<void> {
    serial += 1;
    const metadata = { ...some(), k0: serial };
    const write = { kind: 'metadata', strategy: 'add', content: null, filename: null, metadata } as const;
    await wrote(history, write, () =>
      service.client.post(`/documents/${history.id}/update_metadata`, { metadata }),
    );
  }

  async function wrote(
    history: VersionHistory,
    write: Omit<Write, 'sentAt' | 'answeredAt' | 'status' | 'version'>,
    send: () => Promise<Answer>,
  ): Promise<void> {
    const sentAt = performance.now();
    const answer = await request(send);
    const answeredAt = performance.now();
    const status = answer === GONE ? null : answer.status;
    const unresolved = { ...write, sentAt, answeredAt, status, version: null };
    if (answer === GONE || status !== 200) {
      history.writes.push(unresolved);
      // Earlier work may take longer than an update waits.
      if (answer !== GONE && status !== 409) missing(history, `${write.kind} update`, answer, sentAt);
      return;
    }
    const { version, update_history } = (answer.json() as DocumentRecord).system_metadata;
    history.writes.push({ ...unresolved, version: write.kind === 'file' ? null : version });
    history.told(update_history);
  }

  /** Rebuilds the text from its source, if there is one; readers see no other text. */
  async function requeue(history: VersionHistory): Promise<void> {
    const answer = await request(() =>
      service.client.post('/ingest/requeue', { jobs: [{ external_id: history.id }] }),
    );
    if (answer !== GONE) expect(answer.status).toBe(200);
  }

  async function remove(history: VersionHistory): Promise<void> {
    const sentAt = performance.now();
    const answer = await request(() => service.client.delete(`/documents/${history.id}`));
    if (answer === GONE) {
      const look = await answered(() => service.client.get(`/documents/${history.id}`));
      if (look.status === 404) history.deleted(sentAt, performance.now());
    } else if (answer.status === 200) history.deleted(sentAt, performance.now());
    else missing(history, 'a deletion', answer, sentAt);
  }

  async function readChunks(history: VersionHistory): Promise<void> {
    const sentAt = performance.now();
    const chunks = await request(() => documents.chunks(history.id));
    if (chunks !== GONE) read(history, '/retrieve/chunks', sentAt, { text: covered(chunks) });
  }

  /** Reads all documents with one request: each must be whole. */
  async function readAllChunks(): Promise<void> {
    const before = [...histories.values()];
    const sentAt = performance.now();
    const query = random.next() < 0.5 ? 'anything' : LONG_QUESTION;
    const answer = await request(() => service.client.post('/retrieve/chunks/grouped', { query, k: 1000 }));
    if (answer === GONE) return;
    const { chunks } = answer.json() as { chunks: Chunk[] };
    for (const history of before) {
      const own = chunks.filter(({ document_id }) => document_id === history.id);
      const ordered = own.sort((a, b) => a.chunk_number - b.chunk_number);
      read(history, '/retrieve/chunks/grouped', sentAt, { text: covered(ordered) });
    }
  }

  async function readText(history: VersionHistory): Promise<void> {
    const sentAt = performance.now();
    const answer = await request(() =>
      service.client.post('/documents', {
        document_filters: { external_id: history.id },
        fields: ['system_metadata.content', 'system_metadata.version', 'metadata'],
      }),
    );
    if (answer === GONE) return;
    const [record] = (answer.json() as { documents: DocumentRecord[] }).documents;
    if (record === undefined) {
      read(history, '/documents', sentAt, { text: null });
      return;
    }
    const { content = '', version } = record.system_metadata;
    read(history, '/documents', sentAt, { text: content, version, metadata: record.metadata });
  }

  async function readRecord(history: VersionHistory, send: typeof request = request): Promise<void> {
    const sentAt = performance.now();
    const answer = await send(() => service.client.get(`/documents/${history.id}`));
    if (answer === GONE) return;
    if (answer.status !== 200) {
      missing(history, 'GET /documents/{id}', answer, sentAt);
      return;
    }
    const { metadata, system_metadata } = answer.json() as DocumentRecord;
    history.told(system_metadata.update_history);
    read(history, 'GET /documents/{id}', sentAt, { version: system_metadata.version, metadata });
  }

  async function readFile(history: VersionHistory): Promise<void> {
    const sentAt = performance.now();
    const answer = await request(() => service.client.get(`/documents/${history.id}/file`));
    if (answer === GONE) return;
    if (answer.status !== 200) {
      missing(history, 'GET /documents/{id}/file', answer, sentAt);
      return;
    }
    history.files.push({ content: answer.text, answeredAt: performance.now() });
  }

  /** The chunks in the prompt are of one version: their numbers have no gap. */
  async function readBySources(history: VersionHistory): Promise<void> {
    const answer = await request(() =>
      service.client.post('/query', {
        query: 'How many cables did the buoy drift?',
        k: 1000,
        filters: { external_id: history.id },
      }),
    );
    if (answer === GONE) return;
    const { sources } = answer.json() as { sources: { chunk_number: number }[] };
    const numbers = sources.map(({ chunk_number }) => chunk_number).sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  }

  function read(
    history: VersionHistory,
    how: string,
    sentAt: number,
    saw: { text?: string | null; version?: number; metadata?: Readonly<Record<string, unknown>> },
  ): void {
    history.reads.push({ how, ...saw, sentAt, answeredAt: performance.now() });
  }

  /** Records a response that the document does not exist; any other error is a violation. */
  function missing(history: VersionHistory, how: string, answer: Answer, sentAt: number): void {
    if (answer.status === 404) read(history, how, sentAt, { text: null });
    else violations.push(`${history.id}: ${how} answered ${answer.status} ${answer.text}`);
  }

  /** Returns some keys with values that no other write has. */
  function some(): Record<string, number> {
    return Object.fromEntries(
      ['k1', 'k2', 'k3'].filter(() => random.next() < 0.4).map((key) => [key, serial]),
    );
  }

  /** Returns some chunks of text that no other version has. */
  function text(): string {
    serial += 1;
    return Array.from(
      { length: 1 + (serial % 9) },
      (_, line) =>
        `Buoy ${serial}.${line} drifted ${(serial * 7919) % 1013} cables north of pier ${serial % 97}.`,
    ).join(' ');
  }
});

/** A gap or a repeated number indicates mixed versions, which equal no version. */
function covered(chunks: readonly Chunk[]): string | null {
  if (chunks.length === 0) return null;
  try {
    return textOf(chunks);
  } catch (error) {
    return String(error);
  }
}
