import { randomUUID } from 'node:crypto';
import { answerOf, Client, type Answer } from '../../support/client.js';
import { Documents, type DocumentRecord } from '../../support/documents.js';
import { readEvents, streamedText } from '../../support/event-stream.js';
import { USUAL_ANSWER } from '../../support/fake-provider/answers.js';
import { FakeProvider } from '../../support/fake-provider/fake-provider.js';
import { startFakeEmbeddings, type FakeEmbeddings } from '../../support/fake-embeddings.mjs';
import { startFakeS3, type FakeS3 } from '../../support/fake-s3.js';
import { startFakeServer, type FakeServer } from '../../support/fake-server.js';
import { minimalPdf } from '../../support/minimal-pdf.js';
import { createServerDatabase, serverUrl, type ServerDatabase } from '../../support/server-database.js';
import { Service } from '../../support/service.js';
import { TcpProxy, type Fault } from '../../support/tcp-proxy.js';
import { findOrphans } from '../crash/invariants.js';
import { pause, until } from '../../support/until.js';

/** A planned fault happens after every FAULT_STEP-th chunk from the network. */
const STEP = Number(process.env['FAULT_STEP'] ?? 1);

/** Maximum time to an answer. The longest deadline is that of a question's vector: 20 seconds. */
const ANSWER_MS = 30_000;

/** Maximum time until everything works again after a failure has ended. */
const RECOVERY_MS = 10_000;

const QUESTION = 'What does the lantern burn?';
const TEXT = 'The lantern burns whale oil.';

const EMBEDDER = 'embedder';
const MODEL = 'llm';
const PAGES = 'page_embedder';
const STORE = 'storage';
const DATABASE = 'database';
/** Dependencies by the name that /health gives them. The embedded database has no connection to fail. */
const DEPENDENCIES = [EMBEDDER, MODEL, PAGES, STORE, ...(serverUrl === undefined ? [] : [DATABASE])] as const;
type Dependency = (typeof DEPENDENCIES)[number];

/** The result of a request: 200, or the status of a failure that says so. */
interface Outcome {
  readonly status: number;
  readonly ms: number;
}

describe('dependencies that fail', () => {
  let embeddings: FakeEmbeddings;
  let provider: FakeProvider;
  let pageServer: FakeServer;
  let s3: FakeS3;
  let database: ServerDatabase | undefined;
  let service: Service;
  let documents: Documents;
  let proxies: Record<string, TcpProxy>;
  let lantern: DocumentRecord;
  let harbour: DocumentRecord;
  /** The document that updates extend. */
  let log: DocumentRecord;
  /** Acknowledged documents and their texts. */
  const acknowledged = new Map<string, string>();
  /** Additions to one document: acknowledged ones and ones that ended with an error. */
  const additions = { acknowledged: [] as string[], failed: [] as string[] };
  const rows: string[][] = [];

  beforeAll(async () => {
    embeddings = await startFakeEmbeddings({ dimensions: 16 });
    provider = await FakeProvider.start();
    s3 = await startFakeS3('files');
    pageServer = await startFakeServer(({ body }) => {
      const { input } = body as { input: unknown[] };
      const vectors = [
        [1, 0, 0],
        [0, 1, 0],
      ];
      return { json: { data: input.map((_, index) => ({ index, embeddings: vectors })) } };
    });
    database = serverUrl === undefined ? undefined : await createServerDatabase(serverUrl);
    const targets: Record<string, string> = {
      [EMBEDDER]: embeddings.url,
      [MODEL]: provider.url,
      [PAGES]: pageServer.url,
      [STORE]: s3.url,
      ...(database === undefined ? {} : { [DATABASE]: database.url }),
    };
    const started = Object.entries(targets).map(
      async ([name, url]) => [name, await TcpProxy.start(url)] as const,
    );
    proxies = Object.fromEntries(await Promise.all(started));
    const urlOf = (name: Dependency): string => proxies[name]?.url ?? '';
    service = await Service.start({
      ...(database === undefined
        ? {}
        : {
            DATABASE_URL: urlOf(DATABASE),
            DATABASE_STATEMENT_TIMEOUT_MS: '1500',
            DATABASE_CONNECT_TIMEOUT_MS: '1000',
          }),
      LLM_MODEL: 'hosted_vllm/plain',
      LLM_API_BASE: urlOf(MODEL),
      LLM_API_KEY: 'none',
      LLM_TIMEOUT_MS: '2000',
      EMBEDDING_MODEL: 'openai/fake',
      EMBEDDING_API_BASE: urlOf(EMBEDDER),
      EMBEDDING_API_KEY: 'none',
      EMBEDDING_DIMENSIONS: '16',
      MULTIVECTOR: 'http',
      MULTIVECTOR_API_BASE: urlOf(PAGES),
      MULTIVECTOR_FORMAT: 'jina',
      MULTIVECTOR_MODEL: 'fake',
      STORAGE: 's3',
      S3_ENDPOINT: urlOf(STORE),
      S3_BUCKET: 'files',
      S3_ACCESS_KEY: 'id',
      S3_SECRET_KEY: 'secret',
      S3_TIMEOUT_MS: '1000',
    });
    documents = new Documents(() => service.client);
    lantern = await documents.ingestText(TEXT);
    log = await documents.ingestText('The log of the tender.');
    harbour = await documents.ingestFile('harbour.pdf', pdf('The harbour opens at six'), {
      use_colpali: 'true',
    });
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all(Object.values(proxies).map((proxy) => proxy.close()));
    await Promise.all([
      embeddings.close(),
      provider.close(),
      pageServer.close(),
      s3.close(),
      database?.drop(),
    ]);
    process.stdout.write(`${rows.map((row) => row.join(' | ')).join('\n')}\n`);
  });

  const proxyOf = (name: Dependency): TcpProxy => {
    const proxy = proxies[name];
    if (proxy === undefined) throw new Error(`no proxy for ${name}`);
    return proxy;
  };

  const signal = (): AbortSignal => AbortSignal.timeout(ANSWER_MS);
  const post = (path: string, body: unknown): Promise<Answer> =>
    service.client.post(path, body, { signal: signal() });
  /** Unseen words, so that no cached vector answers. */
  const question = (): string => `${QUESTION} ${randomUUID()}`;

  /** Operations. Each returns the status of its answer, and checks a success. */
  const operations: Readonly<Record<string, () => Promise<number>>> = {
    search: async () => {
      const answer = await post('/retrieve/chunks/grouped', {
        query: question(),
        filters: { external_id: lantern.external_id },
      });
      if (answer.status === 200) expect(answer.text).toContain(TEXT);
      return refusedOr200(answer);
    },
    'page search': async () => {
      const answer = await post('/retrieve/chunks', {
        query: question(),
        use_colpali: true,
        output_format: 'text',
        filters: { external_id: harbour.external_id },
      });
      if (answer.status === 200) expect(answer.text).toContain('harbour');
      return refusedOr200(answer);
    },
    answer: async () => {
      const answer = await post('/query', { query: question(), use_colpali: false });
      if (answer.status === 200) expect(answer.json()).toMatchObject({ completion: USUAL_ANSWER });
      return refusedOr200(answer);
    },
    stream: async () => {
      const body = { query: question(), use_colpali: false, stream_response: true };
      const response = await service.client.fetch('POST', '/query', { body, signal: signal() });
      if (response.status !== 200) return refusedOr200(await answerOf(response));
      const events = await readEvents(response);
      const last = events.at(-1)?.type;
      expect(['done', 'error']).toContain(last);
      if (last === 'done') expect(streamedText(events)).toBe(USUAL_ANSWER);
      return last === 'done' ? 200 : 502;
    },
    download: async () => {
      const answer = await service.client
        .get(`/documents/${harbour.external_id}/file`, { signal: signal() })
        .catch(cutShort);
      if (answer === null) return 502;
      if (answer.status === 200) expect(answer.text).toContain('%%EOF');
      return refusedOr200(answer);
    },
    'post a text': async () => {
      const content = `A log entry ${randomUUID()}.`;
      const answer = await post('/ingest/text', { content });
      if (answer.status === 200) acknowledged.set((answer.json() as DocumentRecord).external_id, content);
      return refusedOr200(answer);
    },
    'upload a file': async () => {
      const sentence = `A chart ${randomUUID().slice(0, 8)}`;
      const form = new FormData();
      form.append('file', new Blob([pdf(sentence)]), 'chart.pdf');
      form.append('use_colpali', 'true');
      const answer = await service.client.call('POST', '/ingest/file', { body: form, signal: signal() });
      if (answer.status === 200) acknowledged.set((answer.json() as DocumentRecord).external_id, sentence);
      return refusedOr200(answer);
    },
    update: async () => {
      const content = `Addition ${randomUUID()}.`;
      const answer = await service.client.post(`/documents/${log.external_id}/update_text`, { content });
      (answer.status === 200 ? additions.acknowledged : additions.failed).push(content);
      return refusedOr200(answer);
    },
  };
  const names = Object.keys(operations);
  /** An update embeds whole documents, and waits minutes for an embedder that does not answer. */
  const WAITS_FOR_EMBEDDER = 'update';

  const run = async (name: string): Promise<Outcome> => {
    const begun = performance.now();
    const status = await operations[name]?.();
    return { status: status ?? 0, ms: performance.now() - begun };
  };

  const works = (name: (typeof names)[number]): Promise<boolean> =>
    until(`${name} works again`, async () => (await run(name)).status === 200, {
      seconds: RECOVERY_MS / 1_000,
    });

  /** Runs everything until it works. @returns milliseconds */
  const recovered = async (): Promise<number> => {
    const begun = performance.now();
    for (const name of names) {
      await works(name);
    }
    return performance.now() - begun;
  };

  const statusInHealth = async (name: Dependency): Promise<string | undefined> => {
    const { services } = (
      await new Client(service.url, service.adminKey).get('/health', { signal: signal() })
    ).json() as {
      services: { name: string; status: string }[];
    };
    return services.find((one) => one.name === name)?.status;
  };

  const namedInHealth = async (name: Dependency): Promise<void> => {
    await until(`/health names ${name}`, async () => (await statusInHealth(name)) !== 'healthy', {
      seconds: (ANSWER_MS + RECOVERY_MS) / 1_000,
    });
  };

  const tell = (
    dependency: string,
    fault: string,
    outcomes: readonly Outcome[],
    recoveryMs: number,
  ): void => {
    const counts = new Map<number, number>();
    for (const { status } of outcomes) counts.set(status, (counts.get(status) ?? 0) + 1);
    const statuses = [...counts].sort(([a], [b]) => a - b).map(([status, count]) => `${count} x ${status}`);
    const longest = Math.max(...outcomes.map(({ ms }) => ms));
    rows.push([
      dependency,
      fault,
      String(outcomes.length),
      statuses.join(', '),
      seconds(longest),
      seconds(recoveryMs),
    ]);
  };

  describe.each(DEPENDENCIES)('%s', (dependency) => {
    const outages = {
      down: (proxy: TcpProxy) => proxy.refuse(),
      frozen: (proxy: TcpProxy) => {
        proxy.freeze();
      },
      slow: (proxy: TcpProxy) => {
        proxy.delay(800);
      },
    };

    it.each(Object.entries(outages))(
      '%s: answers in time, is named by /health, and recovers',
      async (fault, start) => {
        const proxy = proxyOf(dependency);
        await start(proxy);
        const waits = dependency === EMBEDDER && fault === 'frozen' ? [WAITS_FOR_EMBEDDER] : [];
        const waiting = Promise.all(waits.map(run));
        const outcomes = await Promise.all([
          ...names.filter((name) => !waits.includes(name)).map(run),
          ...(fault === 'slow' ? [] : [namedInHealth(dependency).then(() => ({ status: 200, ms: 0 }))]),
        ]);
        if (fault === 'down') await proxy.accept();
        proxy.resume();
        const recoveryMs = await recovered();
        expect((await waiting).map(({ status }) => status)).toEqual(waits.map(() => 200));
        tell(dependency, fault, outcomes.slice(0, names.length - waits.length), recoveryMs);
      },
    );

    it.each<Fault>(['cut', 'reset', 'freeze'])(
      '%s at every step: no answer is wrong, and everything recovers',
      async (fault) => {
        const proxy = proxyOf(dependency);
        const outcomes: Outcome[] = [];
        let recoveryMs = 0;
        for (const name of names) {
          for (let chunks = 0; ; chunks += fault === 'freeze' ? 4 * STEP : STEP) {
            proxy.failAfter(chunks, fault);
            const working = run(name);
            if (fault === 'freeze') await Promise.race([working, pause(2_500, 'the fault lasts')]);
            else outcomes.push(await working);
            const hasFailed = !proxy.isPlanned;
            proxy.resume();
            if (fault === 'freeze') outcomes.push(await working);
            if (!hasFailed) break;
            const begun = performance.now();
            await works(name);
            recoveryMs = Math.max(recoveryMs, performance.now() - begun);
          }
        }
        tell(dependency, `${fault} at a step`, outcomes, recoveryMs);
      },
    );
  });

  it('loses nothing that was acknowledged, and leaves nothing behind', async () => {
    for (const [id, content] of acknowledged) {
      const { system_metadata: state } = await documents.settled(id);
      expect([id, state.status, state.error]).toEqual([id, 'completed', undefined]);
      expect(await documents.text(id)).toContain(content);
    }
    const text = await documents.text(log.external_id);
    const count = (content: string): number => text.split(content).length - 1;
    expect(additions.acknowledged.filter((content) => count(content) !== 1)).toEqual([]);
    expect(additions.failed.filter((content) => count(content) > 1)).toEqual([]);
    expect(service.output).not.toMatch(/"level":(60|"fatal")|unhandledRejection/);
    expect((await service.terminate()).code).toBe(0);
    expect(await findOrphans(service.environment)).toEqual([]);
  });
});

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** A success, or a failure that names itself. */
function refusedOr200(answer: Answer): number {
  if (answer.status === 200) return 200;
  expect([502, 503, 504]).toContain(answer.status);
  if (answer.status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((answer.json() as { detail: string }).detail).toMatch(/^[A-Z].*/);
  return answer.status;
}

/** A download whose source ends breaks off, so that the client sees it is not whole. */
function cutShort(error: unknown): null {
  if (error instanceof TypeError && /terminated|fetch failed/.test(error.message)) return null;
  throw error;
}

function pdf(sentence: string): Uint8Array<ArrayBuffer> {
  return minimalPdf([{ size: [400, 300], content: `BT /F1 20 Tf 20 240 Td (${sentence}) Tj ET` }]);
}
