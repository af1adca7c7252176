import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { CompletionService } from '../../support/completion-service.js';
import { Documents } from '../../support/documents.js';
import { until } from '../../support/until.js';

/** Programs of Debian's package `prometheus`. */
const exists = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
const hasPrometheus = exists('promtool') && exists('prometheus');
/** Base URL of a Grafana whose anonymous users are administrators. */
const grafana = process.env['GRAFANA_URL'];

const RULES = 'deploy/prometheus/lectern.rules.yml';
const DASHBOARD = 'deploy/grafana/lectern.json';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

const dashboard = async (): Promise<Dashboard> => JSON.parse(await readFile(DASHBOARD, 'utf8')) as Dashboard;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

(hasPrometheus ? describe : describe.skip)('the alert rules (needs promtool)', () => {
  it.each([
    ['check', 'rules', RULES],
    ['test', 'rules', RULES.replace('.yml', '.test.yml')],
  ])('pass promtool %s %s', (...command) => {
    const { status, stdout, stderr } = spawnSync('promtool', command, { encoding: 'utf8' });
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  });
});

(hasPrometheus ? describe : describe.skip)('a Prometheus that scrapes the service (needs prometheus)', () => {
  let completion: CompletionService;
  let folder: string;
  let prometheus: ChildProcess;
  let base: string;

  beforeAll(async () => {
    completion = await CompletionService.start();
    const { service } = completion;
    await new Documents(() => service.client).ingestText('The spare key hangs behind the blue door.');
    expect((await service.client.post('/query', { query: 'Where is the spare key?' })).status).toBe(200);
    folder = await mkdtemp(join(tmpdir(), 'lectern-e2e-'));
    const key = join(folder, 'key');
    await writeFile(key, service.adminKey);
    // The configuration of docs/reference/metrics.md, with the place of this service.
    const page = await readFile('docs/reference/metrics.md', 'utf8');
    const documented = /```yaml\n([^`]+)```/.exec(page)?.[1] ?? '';
    const configuration = documented
      .replace('/etc/prometheus/lectern-key', key)
      .replace('/etc/prometheus/lectern.rules.yml', resolve(RULES))
      .replace('lectern.internal:8000', new URL(service.url).host);
    expect(configuration).toContain(key);
    expect(configuration).toContain(resolve(RULES));
    const file = join(folder, 'prometheus.yml');
    await writeFile(file, `global: { scrape_interval: 1s, evaluation_interval: 1s }\n${configuration}`);
    const address = `127.0.0.1:${await freePort()}`;
    base = `http://${address}`;
    prometheus = spawn(
      'prometheus',
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
      ],
      { stdio: 'ignore' },
    );
    await until(
      'Prometheus has scraped twice',
      async () => (await query('count_over_time(up[1m])'))[0] === 2,
    );
  });
  afterAll(async () => {
    prometheus.kill();
    await once(prometheus, 'exit');
    await completion.stop();
    await rm(folder, { recursive: true });
  });

  /** Returns the values of an expression; an empty list before Prometheus answers. @throws for an invalid expression */
  async function query(expression: string): Promise<number[]> {
    const response = await fetch(`${base}/api/v1/query?query=${encodeURIComponent(expression)}`).catch(
      () => null,
    );
    if (response === null || response.status === 503) return [];
    const { status, error, data } = (await response.json()) as {
      status: string;
      error?: string;
      data?: { result: { value: [number, string] }[] };
    };
    if (status !== 'success') throw new Error(`${expression}: ${error ?? status}`);
    return (data?.result ?? []).map(({ value: [, value] }) => Number(value));
  }

  it('finds the service up, and every component healthy', async () => {
    expect(await query('up{job="lectern"}')).toEqual([1]);
    expect((await query('lectern_health{status="healthy"} == 1')).length).toBeGreaterThan(7);
    expect(await query('lectern_health{status="unhealthy"} == 1')).toEqual([]);
  });

  it('evaluates every alert rule, and raises none', async () => {
    const { groups } = parse(await readFile(RULES, 'utf8')) as { groups: { rules: { alert: string }[] }[] };
    const names = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    const rules = await until('the rules were evaluated', async () => {
      const response = await fetch(`${base}/api/v1/rules`);
      const { data } = (await response.json()) as {
        data: { groups: { rules: { name: string; health: string; state: string }[] }[] };
      };
      const all = data.groups.flatMap((group) => group.rules);
      return all.every(({ health }) => health !== 'unknown') && all;
    });
    expect(rules.map(({ name, health, state }) => [name, health, state])).toEqual(
      names.map((name) => [name, 'ok', 'inactive']),
    );
  });

  it('answers every expression of the dashboard', async () => {
    const { panels } = await dashboard();
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(expressions.length).toBeGreaterThan(20);
    for (const expression of expressions) {
      await query(expression.replaceAll('$job', '.*').replaceAll('$__rate_interval', '1m'));
    }
    expect(await query('sum by (tenant) (lectern_tenant_passages)')).not.toEqual([]);
  });
});

(grafana === undefined ? describe.skip : describe)('a Grafana (needs GRAFANA_URL)', () => {
  it('imports the dashboard', async () => {
    const response = await fetch(`${grafana ?? ''}/api/dashboards/db`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ dashboard: await dashboard(), overwrite: true }),
    });
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { status: 'success', uid: 'lectern' },
    ]);
    const stored = await fetch(`${grafana ?? ''}/api/dashboards/uid/lectern`);
    const { dashboard: shown } = (await stored.json()) as { dashboard: Dashboard };
    expect(shown.panels.map(({ title }) => title)).toEqual(
      (await dashboard()).panels.map(({ title }) => title),
    );
  });
});

if (!hasPrometheus)
  it.skip('skipped: no promtool and prometheus (Debian: apt-get install prometheus)', () => undefined);
if (grafana === undefined) it.skip('skipped: no GRAFANA_URL', () => undefined);
