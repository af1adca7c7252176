import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CompletionService, SERVER_KEY } from '../../support/completion-service.js';
import { Documents } from '../../support/documents.js';
import { startFakeServer, type FakeServer } from '../../support/fake-server.js';
import { until } from '../../support/until.js';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
}

/** A body of OTLP over HTTP, with the members that this spec reads. */
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

const [SERVER, CLIENT] = [2, 3];
const QUESTION = 'Where does the ferryman keep the spare key?';
const CONTENT = 'The ferryman keeps the spare key behind the blue door of the boathouse.';
const SECRET = 'Bearer token-of-the-collector';

describe('traces', () => {
  let collector: FakeServer;
  let completion: CompletionService;
  let loaded: string;
  beforeAll(async () => {
    loaded = join(await mkdtemp(join(tmpdir(), 'lectern-e2e-')), 'loaded.txt');
    collector = await startFakeServer(() => ({ json: {} }));
    completion = await CompletionService.start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(SECRET)}`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      NODE_OPTIONS: `--import ${pathToFileURL('test/support/loaded-modules.mjs').href}`,
      LOADED_MODULES: loaded,
    });
  });
  afterAll(async () => {
    await completion.stop();
    await collector.close();
    await rm(dirname(loaded), { recursive: true });
  });

  const exports = (): Export[] => collector.requests.map(({ body }) => body as Export);
  const spans = (): Span[] =>
    exports().flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
  const attribute = ({ attributes }: Span, name: string): string | number | undefined => {
    const value = attributes.find(({ key }) => key === name)?.value;
    return value?.stringValue ?? value?.intValue;
  };
  /** Waits for the spans of the trace in which a request was answered. */
  async function traceOf(requestId: string | null): Promise<{ readonly root: Span; readonly all: Span[] }> {
    const root = await until('the spans of the request are exported', () =>
      spans().find((span) => attribute(span, 'lectern.request_id') === requestId),
    );
    return { root, all: spans().filter(({ traceId }) => traceId === root.traceId) };
  }
  const loadedBy = async (): Promise<string[]> => (await readFile(loaded, 'utf8')).split('\n');

  it('connect a request with its SQL statements and model calls', async () => {
    await new Documents(() => completion.service.client).ingestText(CONTENT);
    const answer = await completion.service.client.post('/query?secret=of-the-url', { query: QUESTION });
    expect(answer.status).toBe(200);
    const { root, all } = await traceOf(answer.headers.get('x-request-id'));
    expect(root).toMatchObject({ name: 'POST /query', kind: SERVER });
    expect(root.parentSpanId ?? '').toBe('');
    expect(attribute(root, 'http.route')).toBe('/query');
    expect(attribute(root, 'http.response.status_code')).toBe(200);
    expect(attribute(root, 'lectern.app_id')).toBe('default');
    const children = all.filter(({ parentSpanId }) => parentSpanId === root.spanId);
    const calls = children.filter(({ kind }) => kind === CLIENT);
    expect(calls.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['model embedding', 'model llm']) as unknown,
    );
    const statements = calls.filter((span) => attribute(span, 'db.system.name') === 'postgresql');
    expect(statements.length).toBeGreaterThan(0);
    expect(statements.some((span) => String(attribute(span, 'db.query.text')).includes('chunks'))).toBe(true);
  });

  it("continue the caller's trace", async () => {
    const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    const headers = { traceparent: `00-${trace}-${parent}-01` };
    const answer = await completion.service.client.get('/models', { headers });
    const { root } = await traceOf(answer.headers.get('x-request-id'));
    expect(root).toMatchObject({ traceId: trace, parentSpanId: parent });
  });

  it('contain the steps of an ingestion', () => {
    const [prepare] = spans().filter(({ name }) => name === 'ingestion prepare');
    const [commit] = spans().filter(({ name }) => name === 'ingestion commit');
    expect(prepare).toBeDefined();
    expect(commit === undefined ? '' : attribute(commit, 'lectern.app_id')).toBe('default');
    const below = spans().filter(({ parentSpanId }) => parentSpanId === prepare?.spanId);
    expect(below.map(({ name }) => name)).toContain('model embedding');
  });

  it('contain the error type only', async () => {
    const answer = await completion.service.client.post('/query', {
      query: QUESTION,
      llm_config: { model: 'hosted_vllm/status:400|repeats-key' },
    });
    expect(answer.status).toBe(502);
    const { root, all } = await traceOf(answer.headers.get('x-request-id'));
    expect(root.status.code).toBe(2);
    const call = all.find(({ name }) => name === 'model llm');
    expect(call?.status).toEqual({ code: 2 });
    expect(call === undefined ? '' : attribute(call, 'error.type')).toBe('RequestRefused');
  });

  it('contain no text, parameter, key or address', () => {
    const sent = JSON.stringify(exports());
    for (const secret of [
      'ferryman',
      'boathouse',
      'of-the-url',
      SERVER_KEY,
      completion.service.adminKey,
      'repeats-key',
    ]) {
      expect(sent).not.toContain(secret);
    }
    expect(sent).not.toContain(completion.provider.url);
  });

  it('are sent under the name of the service, with the headers and attributes of the OTEL variables', () => {
    const [first] = exports();
    const attributes = first?.resourceSpans[0]?.resource.attributes ?? [];
    expect(attributes).toEqual(
      expect.arrayContaining([
        { key: 'service.name', value: { stringValue: 'lectern' } },
        { key: 'deployment.environment', value: { stringValue: 'test' } },
      ]) as unknown,
    );
    expect(collector.requests[0]).toMatchObject({ path: '/v1/traces', headers: { authorization: SECRET } });
    expect(completion.service.output).not.toContain(SECRET);
  });

  it('come from `npm start` too, which prints its address, the key file and the playground', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { start: string } };
    const data = await mkdtemp(join(tmpdir(), 'lectern-e2e-'));
    const child = spawn(process.execPath, scripts.start.split(' ').slice(1), {
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        DATA_DIR: data,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_SERVICE_NAME: 'started-by-npm',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'exit');
    let printed = '';
    for await (const chunk of child.stderr) {
      printed += String(chunk);
      if (printed.includes('  Data ')) break;
    }
    const [, address = ''] = /Address +(\S+)/.exec(printed) ?? [];
    expect(printed).toContain(`API key     in ${join(data, 'api-key')}`);
    expect(printed).toContain(`Playground  ${address}/`);
    const key = (await readFile(join(data, 'api-key'), 'utf8')).trim();
    const answer = await fetch(`${address}/models`, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    // The last spans are sent before the process exits.
    expect(JSON.stringify(exports())).toContain('started-by-npm');
    await rm(data, { recursive: true });
  });

  it('are neither loaded nor sent without the setting', async () => {
    await completion.service.terminate();
    const sdk = (urls: readonly string[]): string[] =>
      urls.filter((url) => /@opentelemetry\/(sdk-|exporter-|otlp-|resources)|\/bundle\/otlp\.js$/.test(url));
    // The same check finds the packages, or their part of the bundle, when traces are enabled.
    expect(sdk(await loadedBy())).not.toEqual([]);
    await rm(loaded);

    await completion.service.restart({ OTEL_EXPORTER_OTLP_ENDPOINT: '' });
    const before = collector.requests.length;
    expect((await completion.service.client.post('/query', { query: QUESTION })).status).toBe(200);
    await completion.service.terminate();
    expect((await loadedBy()).length).toBeGreaterThan(10);
    expect(sdk(await loadedBy())).toEqual([]);
    expect(collector.requests).toHaveLength(before);
  });
});
