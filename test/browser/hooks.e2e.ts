import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { inBrowser, launchChromium } from './chromium.js';
import { until } from '../support/until.js';

const ORIGIN = 'http://hooks.test';
const BUILT = 'test/browser/hooks/dist';
const WORDS = 1_000;
const EVENTS = [
  ...Array.from({ length: WORDS }, () => ({ type: 'assistant', content: 'x' })),
  { type: 'done', usage: {}, finish_reason: 'stop', sources: [], metadata: { message_index: 1 } },
];

interface Shown {
  readonly state: string;
  readonly chat: string;
  readonly words: number;
  readonly renders: number;
  readonly functions: number;
}

inBrowser('the hooks of the React package', () => {
  let browser: Browser;
  let page: Page;
  const asked: string[] = [];

  const shown = async (): Promise<Shown> =>
    JSON.parse((await page.locator('output').textContent()) ?? '') as Shown;

  beforeAll(async () => {
    await promisify(execFile)('npm', ['run', 'build', '--workspace', 'clients/react']);
    await promisify(execFile)('npx', ['vite', 'build', 'test/browser/hooks', '--logLevel', 'warn']);
    browser = await launchChromium();
    page = await browser.newPage();
    await page.route(`${ORIGIN}/**`, async (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === '/query') {
        asked.push(route.request().postData() ?? '');
        const body = EVENTS.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
        await route.fulfill({ contentType: 'text/event-stream', body });
      } else if (pathname === '/' || pathname.startsWith('/assets/')) {
        const isPage = pathname === '/';
        await route.fulfill({
          contentType: isPage ? 'text/html' : 'text/javascript',
          body: await readFile(join(BUILT, isPage ? 'index.html' : pathname)),
        });
      } else await route.fulfill({ status: 404, json: { detail: 'Not Found' } });
    });
    await page.goto(ORIGIN);
    await until('both answers are whole', async () => {
      const { state, chat } = await shown();
      return state === 'done' && chat === 'done';
    });
  });
  afterAll(async () => {
    await browser.close();
    await rm(BUILT, { recursive: true });
  });

  it('ask once in an effect that depends on `ask`, although the answer renders', async () => {
    expect((await shown()).words).toBe(WORDS);
    expect(asked).toHaveLength(2); // an answer and a chat
    expect(asked[0]).toContain('heating');
  });

  it('keep the identity of all their functions', async () => {
    // ask, stop, retry; with those of the chat 9; documents 3; facets 3; uploads 4.
    expect((await shown()).functions).toBe(19);
  });

  it('render far less often than words arrive', async () => {
    expect((await shown()).renders).toBeLessThan(WORDS / 2);
  });
});
