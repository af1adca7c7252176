import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { inBrowser, launchChromium } from './chromium.js';
import { SwaggerPage, type SwaggerForm } from './swagger-page.js';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';

const MANUAL = 'greenhouse-controller-manual.md';
const BODY = {
  query: 'What is "E07"?\nWhy: \\ \'é\' $HOME `x` ${y}?',
  filters: { kind: null, old: false },
  k: 1,
};

/** Python's requests is no part of the project. */
const hasRequests = spawnSync('python3', ['-c', 'import requests']).status === 0;

/** How a snippet is run. */
const RUNNERS: readonly (readonly [language: string, command: string, ...args: string[]])[] = [
  ['curl', 'bash', '-c'],
  ['JavaScript', process.execPath, '--input-type=module', '--eval'],
  ...(hasRequests ? [['Python', 'python3', '-c'] as const] : []),
];

inBrowser('the snippets of Swagger UI', () => {
  let service: Service;
  let browser: Browser;
  let folder: string;
  let page: Page;
  let swagger: SwaggerPage;

  beforeAll(async () => {
    service = await Service.start();
    const documents = new Documents(() => service.client);
    await documents.ingestText('Error E07 means that the heater is cold.', { filename: 'e07.txt' });
    folder = await mkdtemp(join(tmpdir(), 'lectern-snippets-'));
    await cp(`demo/documents/${MANUAL}`, join(folder, MANUAL));
    browser = await launchChromium();
    page = await browser.newPage();
    swagger = await SwaggerPage.open(page, service.url, service.adminKey);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs the snippets of an executed form with the key in the environment. @returns what they print */
  async function outputs(form: SwaggerForm): Promise<Record<string, string>> {
    const printed: Record<string, string> = {};
    for (const [language, command, ...args] of RUNNERS) {
      const code = await form.snippet(language);
      const env = { PATH: process.env['PATH'], LECTERN_API_KEY: service.adminKey };
      printed[language] = (await promisify(execFile)(command, [...args, code], { cwd: folder, env })).stdout;
    }
    return printed;
  }
  const allContain = (text: string) =>
    Object.fromEntries(RUNNERS.map(([language]) => [language, expect.stringContaining(text) as string]));

  it('repeat a request with a JSON body, whatever is in it', async () => {
    const form = await swagger.tryOut('POST /retrieve/chunks');
    await form.writeBody(JSON.stringify({ ...BODY, filters: {} }, null, 2));
    await form.send();
    expect(await outputs(form)).toEqual(allContain('the heater is cold'));
    await form.writeBody(JSON.stringify(BODY, null, 2));
    await form.send();
    expect(await form.snippet('Python')).toMatch(/"kind": None,\s+"old": False/);
    await mkdir('reports/playground', { recursive: true });
    await page.screenshot({ path: 'reports/playground/swagger-snippets.png' });
    for (const text of Object.values(await outputs(form))) expect(text).toMatch(/\[\]\s*$/);
  });

  it('repeat a request without a body, and an upload', async () => {
    const listing = await swagger.tryOut('GET /folders');
    await listing.send();
    expect(await outputs(listing)).toEqual(allContain('[]'));
    const upload = await swagger.tryOut('POST /ingest/file');
    await upload.attach('file', join(folder, MANUAL));
    await upload.send();
    expect(await outputs(upload)).toEqual(allContain(`"filename":"${MANUAL}"`));
  });

  it('name the variable of the key, never the key', async () => {
    await page.locator('.request-snippets').first().getByText('curl', { exact: true }).click();
    const shown = await page.locator('.request-snippets pre').first().innerText();
    expect(shown).toContain('-H "Authorization: Bearer $LECTERN_API_KEY"');
    expect(await page.content()).not.toContain(service.adminKey);
  });
});
