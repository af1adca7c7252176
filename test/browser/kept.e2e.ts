import type { Page } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { hold } from './hold.js';
import { LOOKS, Visit } from './visit.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

inBrowser('state kept by the playground', () => {
  let service: Service;
  let visit: Visit;
  let page: Page;
  const question = () => page.getByLabel('What to search for');

  beforeAll(async () => {
    service = await Service.start();
    visit = await Visit.start(service.url, service.adminKey, LOOKS[0]!);
    ({ page } = visit);
    await visit.signIn(service.adminKey);
    await page.getByText('No documents yet').waitFor();
  });
  afterAll(async () => {
    await visit.close();
    await service.stop();
  });
  afterEach(() => {
    visit.expectCalm();
  });

  it('does not mix conditions from before a reload with new ones', async () => {
    await visit.open('Search');
    await question().fill('What is lit?');
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByText('Filter', { exact: true }).click();
    await page.getByLabel('As JSON').fill('{"year": {"$gt": [1]}}');
    await page.reload();
    await page.getByRole('button', { name: 'Options (1 set)' }).click();
    await page.getByLabel('Field').waitFor();
    for (const name of ['kind', 'place', 'month']) {
      await page.getByRole('button', { name: 'Condition', exact: true }).click();
      await page.getByLabel('Field').last().fill(name);
    }
    await page.getByRole('button', { name: 'Done' }).click();
    await question().press('Enter');
    await page.locator('.condition', { hasText: '$gt expects a number' }).waitFor();
    const refused = page.locator('.condition').filter({ has: page.locator('.problem-text') });
    expect(
      await refused.getByLabel('Field').evaluateAll((all) => (all as HTMLInputElement[])[0]?.value),
    ).toBe('year');
    expect(await refused.count()).toBe(1);
    expect(visit.complaints.splice(0)).toEqual([expect.stringContaining('422') as string]);
  });

  it('is not reused by another build, whose shapes may differ', async () => {
    await page.evaluate(() => {
      history.replaceState(null, '', '#/search'); // the address has the question too
      addEventListener('pagehide', () => {
        const stored = JSON.parse(sessionStorage.getItem('lectern.kept')!) as object;
        const values = [['search.form', { words: '' }]];
        sessionStorage.setItem('lectern.kept', JSON.stringify({ ...stored, build: 'another', values }));
      });
    });
    await page.reload();
    await question().waitFor();
    expect(await question().inputValue()).toBe('');
  });

  it('asks before waiting files are lost on leaving, and sends none after signing out', async () => {
    const { held, release } = hold();
    let sent = 0;
    await page.route('**/ingest/file', async (route) => {
      sent += 1;
      await held;
      await route.continue().catch(() => undefined); // aborted by signing out
    });
    await visit.open('Documents');
    await page.getByLabel('Files to add').setInputFiles(
      Array.from({ length: 8 }, (_, number) => ({
        name: `lamp-${number}.txt`,
        mimeType: 'text/plain',
        buffer: Buffer.from(`Lamp ${number} is lit.`),
      })),
    );
    await page.locator('.upload.sending').nth(3).waitFor();
    const asked = page.waitForEvent('dialog');
    const left = page.evaluate(() => {
      location.reload();
    });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await left;
    await page.locator('.upload.waiting').first().waitFor();

    let failed = 0;
    page.on('requestfailed', (request) => {
      if (request.url().endsWith('/ingest/file')) failed += 1;
    });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    await until('four requests fail', () => failed >= 4);
    release();
    await visit.signIn(service.adminKey);
    await page.getByText('No documents yet').waitFor();
    expect(sent).toBe(4);
    await page.unroute('**/ingest/file');
  });

  it('is removed with the key, also when another tab signs out', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Keep me signed in').check();
    await visit.signIn(service.adminKey);
    await visit.open('Search');
    await question().fill('What is lit?');
    await question().press('Enter');
    await page.waitForFunction(() => location.hash.includes('lit'));
    const other = await page.context().newPage();
    await other.goto(service.url);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.close();
    await page.reload();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate(() => [sessionStorage.length, localStorage.length])).toEqual([0, 0]);
  });

  it('leaves no question in the address for whoever signs in next', async () => {
    await visit.signIn(service.adminKey);
    await visit.open('Search');
    await question().fill('What is lit?');
    await question().press('Enter');
    await page.waitForFunction(() => location.hash.includes('lit'));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate(() => location.hash)).toBe('#/search');
  });
});
