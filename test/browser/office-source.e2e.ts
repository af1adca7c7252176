import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';
import { wordFile } from '../support/word-file.js';
import { inBrowser } from './chromium.js';
import { devices, LOOKS, Visit } from './visit.js';

const RULES = 'harbour-rules.docx';
const SLIDES = 'slides.odp';
const PAGES = [
  ['Rules of the harbour', 'The harbour office is open from six in the morning until nine in the evening.'],
  ['Fees', 'A berth costs twelve crowns for each metre of the boat and each night.'],
  [
    'The east pier',
    'Boats keep their engines off between midnight and five.',
    'A visiting boat may stay at the east pier for three nights, and for a fourth if the wind is above seven.',
  ],
];
const [DESKTOP] = LOOKS as [(typeof LOOKS)[number]];
const isInstalled = spawnSync('soffice', ['--version']).status === 0;

for (const look of devices('desktop'))
  (isInstalled ? inBrowser : describe.skip)(
    `an office document beside an answer (needs LibreOffice), ${look[0]}`,
    () => {
      let service: Service;
      let documents: Documents;
      let visit: Visit;
      let page: Page;
      beforeAll(async () => {
        service = await Service.start();
        documents = new Documents(() => service.client);
        await documents.ingestFile(RULES, wordFile(PAGES));
        await documents.ingestFile(SLIDES, await readFile('test/fixtures/office/slides.odp'));
        visit = await Visit.start(service.url, service.adminKey, look);
        ({ page } = visit);
        page.setDefaultTimeout(30_000); // the first conversion on a machine takes 10 s
        await visit.signIn(service.adminKey);
        await page.getByRole('link', { name: RULES }).waitFor();
      });
      afterAll(async () => {
        await visit.close();
        await service.stop();
      });
      afterEach(() => {
        visit.expectCalm();
      });

      const openCitation = async (question: string): Promise<void> => {
        await visit.open('Ask');
        await page.getByLabel('Your question').fill(question);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: question }).waitFor();
        await page.locator('.answer .chip').first().press('Enter');
      };

      it('opens at the cited page with the sentence marked', async () => {
        await openCitation('How long may a visiting boat stay at the east pier?');
        await page.getByAltText(`Page 3 of ${RULES}`).waitFor();
        await page.locator('[data-mark]').first().waitFor();
        await page.getByText('of 3', { exact: true }).waitFor();
        expect(await page.locator('.source-quote').innerText()).toContain('for three nights');
        await visit.seen('source-office', { fullPage: false });
        await page.getByRole('button', { name: 'Previous page' }).click();
        await page.getByAltText(`Page 2 of ${RULES}`).waitFor();
        expect(await page.locator('[data-mark]').count()).toBe(0);
      });

      it('is opened there from its source, and on its first page from the list', async () => {
        await page.getByRole('link', { name: 'Open the document' }).click();
        await page.locator('.document-page [data-mark]').first().waitFor();
        await page.getByAltText(`Page 3 of ${RULES}`).waitFor();
        await visit.seen('source-office-document', { fullPage: false });
        await visit.open('Documents');
        await page.getByRole('link', { name: SLIDES }).click();
        await page.getByAltText(`Page 1 of ${SLIDES}`).waitFor();
        await page.getByText('of 2', { exact: true }).waitFor();
      });

      it('opens at the cited slide', async () => {
        await openCitation('How many finches on Chatham Island?');
        await page.getByAltText(`Page 2 of ${SLIDES}`).waitFor();
        await page.locator('[data-mark]').first().waitFor();
        await visit.seen('source-office-slide', { fullPage: false });
        await page.keyboard.press('Escape');
      });

      it('is its text if the sentence is on no page', async () => {
        await page.route('**/places', async (route) => {
          const answer = await route.fetch();
          await route.fulfill({ json: { ...((await answer.json()) as object), page_number: 1, places: [] } });
        });
        await page.reload();
        await openCitation('How long may a visiting boat stay at the east pier?');
        await page.locator('.source-text [data-quote]').first().waitFor();
        await page.getByRole('tab', { name: 'Page', exact: true }).click();
        await page.getByText('The sentence was not found on this page').waitFor();
        await page.keyboard.press('Escape');
        await page.unroute('**/places');
      });
    },
  );

inBrowser('an office document that cannot be converted', () => {
  it('opens on its text, without an error', async () => {
    const service = await Service.start({ SOFFICE_PATH: '/bin/false' });
    const visit = await Visit.start(service.url, service.adminKey, DESKTOP);
    const { page } = visit;
    try {
      const documents = new Documents(() => service.client);
      await documents.ingestFile(RULES, wordFile(PAGES));
      await visit.signIn(service.adminKey);
      await page.getByRole('link', { name: RULES }).click();
      await page.locator('.document-text').waitFor();
      expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Text', 'Passages', 'Details']);
      expect(await page.getByRole('alert').count()).toBe(0);
    } finally {
      await visit.close();
      await service.stop();
    }
  });
});
