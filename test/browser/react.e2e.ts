import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { LOOKS, Visit } from './visit.js';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';
import { ServiceProcess } from '../support/process.js';
import { until } from '../support/until.js';

const EXAMPLE = 'clients/react/example';
const REPORT = 'observatory-annual-report-2025.pdf';
const ANSWER = 'Re-aluminising the mirror is the largest item of the report [[1]]. It was done on time.';

inBrowser('the React example', () => {
  let home: CompletionService;
  let port: string;
  let server: ServiceProcess;
  let key: { readonly id: string; readonly key: string };
  let visit: Visit;
  let page: Page;

  const startServer = async (more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { url } = home.service;
    const environment = { LECTERN_URL: url, LECTERN_API_KEY: key.key, LECTERN_KEY_ID: key.id, PORT: port };
    server = ServiceProcess.spawn({ ...environment, ...more }, `${EXAMPLE}/server.mjs`);
    return server.url();
  };
  const ask = async (question: string): Promise<void> => {
    await page.getByLabel('Your question').fill(question);
    await page.keyboard.press('Enter');
  };
  const answer = () => page.getByRole('region', { name: 'Answer' });
  const writing = (held: string): void => {
    home.provider.alias('writer', `encoded:${encodeURIComponent(ANSWER)}|halfway:${held}|token-delay:1`);
  };
  const newKey = async (): Promise<typeof key> =>
    (
      await home.service.client.post('/keys', { name: 'site', scopes: ['read', 'query'] })
    ).json() as typeof key;

  beforeAll(async () => {
    const reserved = await reservePort();
    port = reserved.port;
    const origin = `http://127.0.0.1:${port}`;
    home = await CompletionService.start({ LLM_MODEL: 'hosted_vllm/writer', CORS_ORIGINS: origin });
    const documents = new Documents(() => home.service.client);
    await documents.ingestFile(REPORT, await readFile(`demo/documents/${REPORT}`));
    key = await newKey();
    await promisify(execFile)('npm', ['run', 'build', '--workspace', EXAMPLE], {
      env: { ...process.env, VITE_LECTERN_URL: home.service.url },
    });
    await reserved.release();
    visit = await Visit.start(await startServer(), key.key, LOOKS[0]!);
    ({ page } = visit);
  });
  afterAll(async () => {
    await visit.close();
    await server.kill('SIGTERM');
    await home.stop();
  });

  it('streams an answer, whose citations lead to sources with file name and page', async () => {
    writing('first');
    await ask('How much did re-aluminising the mirror cost?');
    await answer().getByText('Re-aluminising the mirror').waitFor();
    await answer().getByText('Answering…').waitFor();
    expect(await answer().innerText()).not.toContain('on time');
    expect(await answer().locator('[aria-live]').getAttribute('aria-busy')).toBe('true');
    home.provider.release('first');
    const citation = answer().getByRole('button', { name: new RegExp(`1, source ${REPORT}, page \\d`) });
    await citation.waitFor();
    expect(await answer().locator('[aria-live]').innerText()).toMatch(
      /^Re-aluminising the mirror is the largest item of the report\s*1\. It was done on time\.$/,
    );
    expect(await answer().locator('[aria-live]').getAttribute('aria-busy')).toBe('false');
    await visit.seen('react-answer');
    await citation.click();
    const source = page.getByRole('region', { name: 'Sources' }).getByRole('listitem').first();
    expect(await source.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await source.locator('cite').innerText()).toMatch(new RegExp(`^${REPORT}, page \\d$`));
    expect((await source.locator('p').innerText()).length).toBeGreaterThan(20);
    expect(visit.complaints).toEqual([]);
  });

  it('stops an answer here and at the service, and asks again', async () => {
    writing('second');
    home.provider.forget();
    await ask('How is the mirror looked after?');
    await answer().getByText('Re-aluminising').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await answer().getByText('You stopped this answer here.').waitFor();
    expect(await answer().evaluate((element) => element === document.activeElement)).toBe(true);
    await until('the call to the model is cancelled', () => home.provider.last.aborted);
    expect(await answer().innerText()).not.toContain('on time');
    home.provider.release('second');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await answer().getByText('on time').waitFor();
  });

  it('says that the connection is lost, tries again, and lets the reader ask again', async () => {
    await page.context().setOffline(true);
    await ask('Who looks after the lamp?');
    await answer().getByText('No connection. Trying again…').waitFor();
    await page.getByRole('alert').getByText('The connection was lost. Check your network.').waitFor();
    await visit.seen('react-offline');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Ask again' }).click();
    await answer().getByText('on time').waitFor();
    expect(await page.getByRole('alert').innerText()).toBe('');
    visit.complaints.length = 0;
  });

  it('gets a new token when the old one has expired', async () => {
    await server.kill('SIGTERM');
    await startServer({ TOKEN_SECONDS: '3' });
    await page.reload();
    let tokens = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/token')) tokens += 1;
    });
    const [made] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/token')),
      ask('Who looks after the lamp?'),
    ]);
    await answer().getByText('on time').waitFor();
    const { token } = (await made.json()) as { token: string };
    const old = home.service.as(token);
    await until(
      'the old token is refused',
      async () => (await old.post('/retrieve/chunks', { query: 'lamp' })).status === 401,
    );
    const before = tokens;
    await ask('Who looks after the mirror?');
    await answer().getByText('on time').waitFor();
    expect([tokens - before, home.provider.last.raw]).toEqual([
      1,
      expect.stringContaining('after the mirror'),
    ]);
    expect(visit.complaints.splice(0).filter((one) => !one.includes('401'))).toEqual([]);
  });

  it('says what is wrong when it gets no token', async () => {
    await home.service.client.delete(`/keys/${key.id}`);
    await page.reload();
    await ask('Who looks after the lamp?');
    await page.getByRole('alert').getByText('This page cannot sign in at the moment.').waitFor();
    await page.getByRole('button', { name: 'Ask again' }).waitFor();
  });

  it('never has the key', async () => {
    expect(key.key.length).toBeGreaterThan(20);
    const script = await page.locator('script[type=module]').getAttribute('src');
    expect(await readFile(`${EXAMPLE}/dist${script!}`, 'utf8')).not.toContain(key.key);
    expect(visit.foreign.filter((asked) => !asked.startsWith(`${home.service.url}/query`))).toEqual([]);
  });
});

/** Listens on a free port until it is released, so that no other process gets it. */
async function reservePort(): Promise<{ port: string; release: () => Promise<void> }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const release = async () => {
    server.close();
    await once(server, 'close');
  };
  return { port: String(port), release };
}
