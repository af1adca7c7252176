import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { CompletionService } from '../../support/completion-service.js';
import { Documents } from '../../support/documents.js';
import type { Service } from '../../support/service.js';
import { until } from '../../support/until.js';

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

const SAMPLE = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/i;

function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? [];
      if (name === '') throw new Error(`not a sample: ${line}`);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, said]) => [key, said]);
      return { name, labels: Object.fromEntries(pairs) as Labels, value: Number(value) };
    });
}

/** Returns the names of all metrics, including those without samples. */
function namesIn(text: string): Set<string> {
  const typed = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' || type === 'summary'
      ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]
      : [name],
  );
  return new Set(typed);
}

describe('GET /metrics', () => {
  let completion: CompletionService;
  let service: Service;
  let documents: Documents;
  beforeAll(async () => {
    // Listens on every address, so that another address than loopback can be tested.
    completion = await CompletionService.start({ HOST: '0.0.0.0' });
    ({ service } = completion);
    documents = new Documents(() => service.client);
  });
  afterAll(() => completion.stop());

  const scrape = async (): Promise<Sample[]> => {
    const answer = await service.as(null).get('/metrics');
    expect(answer.status).toBe(200);
    return samplesOf(answer.text);
  };
  /** Sums the samples with this name and these labels. */
  const sum = (samples: readonly Sample[], name: string, labels: Labels = {}): number =>
    samples
      .filter((sample) => sample.name === name)
      .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
      .reduce((total, { value }) => total + value, 0);
  /** Returns what `work` adds to a metric. */
  const added = async (work: () => Promise<unknown>) => {
    const before = await scrape();
    await work();
    const after = await scrape();
    return (name: string, labels: Labels = {}): number =>
      sum(after, name, labels) - sum(before, name, labels);
  };

  it('is in the text format of Prometheus', async () => {
    const { headers, text } = await service.as(null).get('/metrics');
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toMatch(/^# HELP lectern_ingestion_jobs \S/m);
    expect(text).toMatch(/^# TYPE lectern_http_request_duration_seconds histogram$/m);
  });

  it('needs no key from localhost, and an admin key behind a proxy', async () => {
    const headers = { 'x-forwarded-for': '127.0.0.1' };
    expect((await service.as(null).get('/metrics', { headers })).status).toBe(401);
    expect((await service.client.get('/metrics', { headers })).status).toBe(200);
    const issued = await service.client.post('/keys', { name: 'reader', scopes: ['read'] });
    const reader = service.as((issued.json() as { key: string }).key);
    expect((await reader.get('/metrics', { headers })).status).toBe(403);
  });

  it('needs an admin key from every other address, regardless of headers', async () => {
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal);
    if (outside === undefined) return; // this machine has no other address
    const { port } = new URL(service.url);
    const answer = await fetch(`http://${outside.address}:${port}/metrics`, {
      headers: { host: 'localhost', 'x-client-ip': '127.0.0.1' },
    });
    expect(answer.status).toBe(401);
  });

  it('labels requests with their routes, never with paths', async () => {
    const name = 'lectern_http_request_duration_seconds_count';
    const id = '00000000-0000-4000-8000-000000000000';
    const count = await added(async () => {
      await service.client.get(`/documents/${id}`);
      await service.client.get('/secret-path-of-somebody');
      await service.as(null).get('/usage/app-storage');
    });
    expect(count(name, { method: 'GET', route: '/documents/:document_id', status: '404' })).toBe(1);
    expect(count(name, { route: 'unknown', status: '404' })).toBe(1);
    expect(count(name, { route: '/usage/app-storage', status: '401' })).toBe(1);
    expect(count('lectern_http_request_duration_seconds_sum')).toBeGreaterThan(0);
    const { text } = await service.as(null).get('/metrics');
    expect(text).not.toMatch(/secret-path|00000000-0000/);
  });

  it('counts model calls of ingestion and queries, with tokens', async () => {
    const count = await added(async () => {
      await documents.ingestText('The spare key hangs behind the blue door of the boathouse.');
      for (let i = 0; i < 2; i += 1) {
        const answer = await service.client.post('/query', { query: 'Where is the spare key?' });
        expect(answer.status).toBe(200);
      }
    });
    expect(count('lectern_ingestions_total', { outcome: 'completed' })).toBe(1);
    const calls = 'lectern_model_call_duration_seconds_count';
    expect(count(calls, { kind: 'llm', outcome: 'ok' })).toBe(2);
    // The scrape itself may check the model.
    expect(count(calls, { kind: 'embedding', outcome: 'ok' })).toBeGreaterThanOrEqual(2);
    expect(count('lectern_cache_lookups_total', { cache: 'query_vectors', result: 'hit' })).toBe(1);
    expect(count('lectern_cache_lookups_total', { cache: 'query_vectors', result: 'miss' })).toBe(1);
    expect(count('lectern_model_tokens_total', { kind: 'llm', direction: 'input' })).toBeGreaterThan(10);
    expect(count('lectern_model_tokens_total', { kind: 'llm', direction: 'output' })).toBeGreaterThan(0);
    expect(count('lectern_model_tokens_total', { kind: 'embedding', direction: 'input' })).toBeGreaterThan(0);
  });

  it('counts failed attempts and retries', async () => {
    const query = (model: string) =>
      service.client.post('/query', {
        query: 'Where is the key?',
        llm_config: { model: `hosted_vllm/${model}` },
      });
    const count = await added(async () => {
      expect((await query('status:503x1|case:metrics')).status).toBe(200);
      expect((await query('status:400|case:metrics')).status).toBe(502);
    });
    const calls = 'lectern_model_call_duration_seconds_count';
    expect(count(calls, { kind: 'llm', outcome: 'unavailable' })).toBe(1);
    expect(count(calls, { kind: 'llm', outcome: 'ok' })).toBe(1);
    expect(count(calls, { kind: 'llm', outcome: 'refused' })).toBe(1);
    expect(count('lectern_model_retries_total', { kind: 'llm' })).toBe(1);
    expect((await service.as(null).get('/metrics')).text).not.toContain('case:metrics');
  });

  it('measures streams apart from short calls', async () => {
    const route = '/query';
    const count = await added(async () => {
      const body = { query: 'Where is the spare key?', stream_response: true };
      expect((await service.client.post(route, body)).text).toContain('"type":"done"');
      await until(
        'the stream is counted',
        async () => sum(await scrape(), 'lectern_http_streams_open', { route }) === 0,
      );
    });
    expect(count('lectern_http_stream_duration_seconds_count', { route, status: '200' })).toBe(1);
    expect(count('lectern_http_request_duration_seconds_count', { route })).toBe(0);
  });

  it('counts what tenants have and use, with the largest by name', async () => {
    const named = async (tenant: string): Promise<boolean> =>
      (await scrape()).some(
        (sample) => sample.name === 'lectern_tenant_passages' && sample.labels['tenant'] === tenant,
      );
    await until('the tenants are counted again', () => named('default'), { seconds: 120, everyMs: 1_000 });
    const small = await service.client.post('/cloud/generate_uri', { name: 'small', app_id: 'small' });
    expect(small.status).toBe(200);
    const count = await added(async () => {
      await service.client.post('/query', { query: 'Where is the spare key?' });
      await service.client.get('/documents/no-id');
    });
    const requests = 'lectern_tenant_requests_total';
    expect(count(requests, { tenant: 'default', outcome: 'ok' })).toBe(1);
    expect(count(requests, { tenant: 'default', outcome: 'refused' })).toBe(1);
    expect(count('lectern_tenant_request_seconds_total', { tenant: 'default' })).toBeGreaterThan(0);
    expect(count('lectern_tenant_model_tokens_total', { tenant: 'default' })).toBeGreaterThan(10);
    const samples = await scrape();
    expect(sum(samples, 'lectern_tenant_passages', { tenant: 'default' })).toBe(1);
    expect(await named('small')).toBe(false);
    for (const tenant of ['default', '(others)']) {
      for (const state of ['queued', 'running', 'dead']) {
        expect(samples).toContainEqual({
          name: 'lectern_tenant_ingestion_jobs',
          labels: { tenant, state },
          value: 0,
        });
      }
      expect(samples).toContainEqual({
        name: 'lectern_tenant_ingestion_oldest_due_seconds',
        labels: { tenant },
        value: 0,
      });
    }
  });

  it('has the sizes of database, store and disk, and the health of each component', async () => {
    const form = new FormData();
    form.append('file', new Blob(['x'.repeat(1_000)]), 'x.txt');
    const { external_id } = (await service.client.post('/ingest/file', form)).json() as {
      external_id: string;
    };
    await until('the file is read', async () => {
      const { text } = await service.client.get(`/documents/${external_id}/status`);
      return text.includes('"completed"');
    });
    const samples = await until('the first count of the store has ended', async () => {
      const found = await scrape();
      return found.some(({ name }) => name === 'lectern_store_bytes') && found;
    });
    expect(sum(samples, 'lectern_database_bytes')).toBeGreaterThan(1_000_000);
    expect(sum(samples, 'lectern_disk_bytes', { state: 'total' })).toBeGreaterThan(
      sum(samples, 'lectern_disk_bytes', { state: 'free' }),
    );
    const components = ['database', 'pgvector', 'indexes', 'settings', 'embedder', 'llm', 'storage', 'queue'];
    for (const component of components) {
      for (const status of ['healthy', 'degraded', 'unhealthy']) {
        const value = status === 'healthy' ? 1 : 0;
        expect(samples).toContainEqual({ name: 'lectern_health', labels: { component, status }, value });
      }
    }
  });

  it('includes the queue, documents, connection pool and process', async () => {
    const samples = await scrape();
    for (const state of ['queued', 'running', 'dead']) {
      expect(samples).toContainEqual({ name: 'lectern_ingestion_jobs', labels: { state }, value: 0 });
    }
    for (const state of ['processing', 'completed', 'failed']) {
      expect(samples).toContainEqual(
        expect.objectContaining({ name: 'lectern_documents', labels: { state } }),
      );
    }
    expect(sum(samples, 'lectern_ingestion_oldest_due_seconds')).toBe(0);
    expect(sum(samples, 'lectern_database_pool_connections', { state: 'total' })).toBeGreaterThan(0);
    for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes']) {
      expect(sum(samples, name)).toBeGreaterThan(0);
    }
  });

  it('has every metric used by the dashboard', async () => {
    const dashboard = JSON.parse(await readFile('deploy/grafana/lectern.json', 'utf8')) as {
      panels: { targets?: { expr: string }[] }[];
      templating: { list: { definition?: string }[] };
    };
    const expressions = [
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ...dashboard.templating.list.flatMap(({ definition }) => definition ?? []),
    ];
    const drawn = new Set(
      expressions.flatMap((expression) => expression.match(/\b(?:lectern|nodejs|process)_\w+/g) ?? []),
    );
    expect(drawn.size).toBeGreaterThan(10);
    const { text } = await service.as(null).get('/metrics');
    const there = namesIn(text);
    expect([...drawn].filter((name) => !there.has(name))).toEqual([]);
    const ours = [...there].filter((name) => name.startsWith('lectern_'));
    const isDrawn = (name: string): boolean => [...drawn].some((one) => one.startsWith(name));
    const families = [...text.matchAll(/^# TYPE (lectern_\w+)/gm)].map(([, name = '']) => name);
    expect(families.filter((name) => !isDrawn(name))).toEqual([]);
    expect(ours.length).toBeGreaterThan(families.length);
  });
});
