import type { Page } from 'playwright-core';
import { connectDatabase } from '../../src/database/open-database.js';
import { inBrowser } from './chromium.js';
import { hold } from './hold.js';
import { devices, Visit } from './visit.js';
import { Service } from '../support/service.js';
import { settingsWith } from '../support/settings.js';
import { until } from '../support/until.js';

const DOCUMENTS = 2_500;
/** Every hundredth name says so, in the middle. */
const RARE = DOCUMENTS / 100;

/** Writes the records of documents: what a list shows. */
async function storeRecords(service: Service): Promise<void> {
  const database = await connectDatabase(settingsWith(service.environment));
  await database.query(
    `insert into apps (app_id, name) values ('default', 'default') on conflict do nothing`,
  );
  await database.query(`insert into folders (app_id, path) values ('default', '/archive')`);
  await database.query(
    `insert into documents (app_id, external_id, status, content_type, filename, folder_path, folder_id, updated_at)
     select 'default', gen_random_uuid(), 'completed', 'text/plain',
       'report-' || lpad(n::text, 4, '0') || case when n % 100 = 0 then '-rare' else '' end ||
         case when n % 7 = 0 then '-on the instruments of the observatory and what became of them' else '' end || '.pdf',
       f.path, f.folder_id, now() - n * interval '1 minute'
     from generate_series(0, $1::integer - 1) n, folders f where f.path = '/archive'`,
    [DOCUMENTS],
  );
  await database.destroy();
}

for (const look of devices('desktop'))
  inBrowser(`thousands of documents, ${look[0]}`, () => {
    let service: Service;
    let visit: Visit;
    let page: Page;
    const rows = () => page.locator('.documents tbody tr[data-index]');
    const table = () => page.locator('table.documents');
    const counted = (text: string) => page.locator('.list-head').getByText(text, { exact: true });
    const link = (name: string) => page.locator('.documents').getByRole('link', { name });
    const heading = (name: string) => page.getByRole('heading', { name });
    /** Rows are loaded and measured. */
    const settled = async (): Promise<void> => {
      const isSettled = () =>
        page.evaluate(async () => {
          const state = () => [scrollY, document.documentElement.scrollHeight].join();
          const before = state();
          for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
          return document.querySelector('.documents .coming') === null && state() === before;
        });
      await until('the rows are loaded', isSettled);
    };
    const scrollToShare = async (share: number): Promise<void> => {
      await page.evaluate((part) => {
        scrollTo(0, part * document.documentElement.scrollHeight);
      }, share);
      await settled();
    };
    const toEnd = async (): Promise<void> => {
      const last = page.locator(`.documents tr[aria-rowindex="${DOCUMENTS + 1}"] a`);
      await until('the last row is shown', async () => {
        await scrollToShare(1);
        return last.isVisible();
      });
    };

    beforeAll(async () => {
      service = await Service.start();
      await service.terminate();
      await storeRecords(service);
      await service.restart();
      visit = await Visit.start(service.url, service.adminKey, look);
      ({ page } = visit);
      await visit.signIn(service.adminKey);
      await link('report-0000').waitFor();
    });
    afterAll(async () => {
      await visit.close();
      await service.stop();
    });
    afterEach(() => {
      visit.expectCalm();
    });

    it('are counted for screen readers, and few of them are rendered', async () => {
      await counted('2,500 documents').waitFor();
      expect(await table().getAttribute('aria-rowcount')).toBe(String(DOCUMENTS + 1));
      expect(await rows().first().getAttribute('aria-rowindex')).toBe('2');
      expect(await rows().count()).toBeLessThan(60);
      await visit.seen('documents-many', { fullPage: false });
    });

    it('fill the width of the list for a key that only reads, too', async () => {
      const made = await service.client.post('/keys', { name: 'reader', scopes: ['read', 'query'] });
      const { key } = made.json() as { key: string };
      const reader = await Visit.start(service.url, key, [`${look[0]}-reader`, look[1]]);
      try {
        if (look[0] === 'desktop') await reader.page.setViewportSize({ width: 1_440, height: 900 });
        await reader.signIn(key);
        await reader.page.locator('.documents').getByRole('link', { name: 'report-0000' }).waitFor();
        await reader.page.locator('.documents .gap').waitFor({ state: 'attached' });
        await reader.seen('documents-many', { fullPage: false });
        const rest = await reader.page.evaluate(() => {
          const right = (selector: string) => document.querySelector(selector)!.getBoundingClientRect().right;
          return right('.documents') - right('.documents tbody td.changed');
        });
        if (look[0] === 'desktop') expect(rest).toBeLessThan(1);
        reader.expectCalm();
      } finally {
        await reader.close();
      }
    });

    it('are loaded up to the last as one scrolls', async () => {
      await toEnd();
      await link('report-2499').waitFor();
      expect(await rows().count()).toBeLessThan(60);
      expect(await rows().last().getAttribute('aria-rowindex')).toBe(String(DOCUMENTS + 1));
      await scrollToShare(0.5);
      const [inMiddle] = await rows().allInnerTexts();
      expect(inMiddle).toMatch(/report-1[123]\d\d/);
      await visit.seen('documents-many-middle', { fullPage: false });
    });

    it('are where they were when one comes back', async () => {
      await toEnd();
      await link('report-2499').evaluate((found) => {
        (found as HTMLElement).click(); // Playwright's own click would scroll to it
      });
      await heading('report-2499').waitFor();
      await page.goBack();
      await link('report-2499').waitFor();
      await page.waitForFunction(() => {
        const last = [...document.querySelectorAll('.documents tr[data-index]')].at(-1);
        const { top = -1, bottom = Infinity } = last?.getBoundingClientRect() ?? {};
        return last?.textContent.includes('report-2499') === true && top >= 0 && bottom <= innerHeight;
      });
    });

    it('are sorted by the service', async () => {
      await page.getByLabel('Order').selectOption('Name, Z to A');
      await page.locator('.documents tr[aria-rowindex="2"]', { hasText: 'report-2499' }).waitFor();
      await page.getByLabel('Order').selectOption('Changed last');
      await page.locator('.documents tr[aria-rowindex="2"]', { hasText: 'report-0000' }).waitFor();
    });

    it('are walked through by the keyboard, and keep the focus when it is scrolled away', async () => {
      await scrollToShare(0);
      await link('report-0001').focus();
      for (let row = 1; row <= 40; row += 1) {
        const name = `report-${String(row).padStart(4, '0')}`;
        expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(name);
        await page.keyboard.press('Tab'); // to the box of the next row
        await page.keyboard.press('Tab');
      }
      await scrollToShare(0.9);
      expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('report-0041');
      expect(await rows().first().getAttribute('aria-rowindex')).toBe('43');
      await scrollToShare(0);
    });

    it('stay selected while one scrolls', async () => {
      await page.getByLabel('Select report-0002.pdf').check();
      await toEnd();
      await page.getByLabel('Select report-2499').check();
      const bar = page.getByRole('region', { name: 'Selected documents' });
      await bar.getByText('2 documents selected').waitFor();
      expect(await bar.isVisible()).toBe(true);
      const box = (await bar.boundingBox())!;
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.y).toBeLessThan(200); // it stays in view
      await visit.seen('documents-many-selected', { fullPage: false });
      await scrollToShare(0);
      expect(await page.getByLabel('Select report-0002.pdf').isChecked()).toBe(true);
      expect(await page.getByLabel('Select report-0003.pdf').isChecked()).toBe(false);
      await bar.getByRole('button', { name: 'Clear selection' }).click();
    });

    it('of which a name has a part are selected and deleted together, and no others', async () => {
      await page.getByLabel('Search by file name').fill('RARE report');
      await counted(`${RARE} documents`).waitFor();
      await page.getByLabel(/^Select report-0100/).check();
      await page.getByRole('button', { name: `Select all ${RARE}` }).click();
      await page.getByText(`All ${RARE} documents selected`).waitFor();
      await page.getByRole('button', { name: 'Delete…' }).click();
      await heading(`Delete all ${RARE} documents?`).waitFor();
      const number = page.getByLabel(`Type ${RARE} to confirm`);
      const remove = page.locator('dialog[open]').getByRole('button', { name: 'Delete' });
      expect(await remove.isDisabled()).toBe(true);
      await number.fill('24');
      expect(await remove.isDisabled()).toBe(true);
      await number.press('Enter');
      await visit.seen('documents-many-delete', { fullPage: false });
      await number.fill(String(RARE));
      await remove.click();
      await page.getByText('No file name has “RARE report”').waitFor({ timeout: 60_000 });
      await page.getByLabel('Search by file name').fill('');
      await counted('2,475 documents').waitFor();
      expect(await page.getByRole('region', { name: 'Selected documents' }).count()).toBe(0);
    });

    it('are all selected, also those that were not loaded, and their deletion can be stopped', async () => {
      await scrollToShare(0);
      await page.getByLabel('Select report-0002.pdf').check();
      await page.getByRole('button', { name: 'Select all 2,475' }).click();
      await page.getByText('All 2,475 documents selected').waitFor();
      await page.getByRole('button', { name: 'Delete…' }).click();
      await heading('Delete all 2,475 documents?').waitFor();
      const { held, release } = hold();
      let sent = 0;
      await page.route('**/documents/delete', async (route) => {
        sent += 1;
        if (sent <= 2) return route.continue();
        await held;
        return route.abort().catch(() => undefined); // the page aborted it
      });
      await page.getByLabel('Type 2,475 to confirm').fill('2475');
      await page.locator('dialog[open]').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Deleting 100 of 2,475…').waitFor();
      await visit.seen('documents-many-deleting', { fullPage: false });
      const aborted = page.waitForEvent('requestfailed');
      await page.locator('dialog[open]').getByRole('button', { name: 'Stop' }).click();
      await aborted;
      release();
      await counted('2,375 documents').waitFor();
      await page.unroute('**/documents/delete');
    });
  });
