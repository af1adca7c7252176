import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { USUAL_LOOKS, Visit } from './visit.js';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';

const REPORT = 'observatory-annual-report-2025.pdf';
const GUIDE = `# Lamps

The lamp of the **lighthouse** is lit at *dusk* by two keepers.

| Part | Months |
| --- | --: |
| Lamp | 24 |
`;

for (const look of USUAL_LOOKS)
  inBrowser(`the source beside an answer, ${look[0]}`, () => {
    let service: Service;
    let visit: Visit;
    let page: Page;

    beforeAll(async () => {
      service = await Service.start();
      const documents = new Documents(() => service.client);
      await documents.ingestFile(REPORT, await readFile(`demo/documents/${REPORT}`)); // without use_colpali
      await documents.ingestFile('lamps.md', Buffer.from(GUIDE));
      visit = await Visit.start(service.url, service.adminKey, look);
      ({ page } = visit);
      await visit.signIn(service.adminKey);
      await page.getByRole('link', { name: REPORT }).waitFor();
      await visit.open('Ask');
    });
    afterAll(async () => {
      await visit.close();
      await service.stop();
    });
    afterEach(() => {
      visit.expectCalm();
    });

    const ask = async (question: string): Promise<void> => {
      await visit.open('Ask');
      await page.getByLabel('Your question').fill(question);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: question }).waitFor();
      await page.locator('.answer .chip').first().waitFor();
    };
    /** Vertical position of the mark as a share of the page's height. */
    const markAt = (): Promise<number> =>
      page.locator('.page-sheet').evaluate((sheet) => {
        const mark = sheet.querySelector('[data-mark]')?.getBoundingClientRect();
        const { top, height } = sheet.getBoundingClientRect();
        return ((mark?.top ?? 0) - top) / height;
      });
    const imageWidth = (): Promise<number> =>
      page.locator('.page-sheet img').evaluate((image) => image.getBoundingClientRect().width);

    it('is the page of a PDF with the sentence marked', async () => {
      await ask('How much did re-aluminising the main mirror cost?');
      await page.locator('.answer .chip').first().press('Enter');
      await page.getByAltText(`Page 2 of ${REPORT}`).waitFor();
      await page.locator('[data-mark]').first().waitFor();
      expect(await page.locator('.source-quote').innerText()).toContain('48,600');
      expect(await page.locator('[data-mark]').count()).toBe(2); // lines
      expect(await markAt()).toBeGreaterThan(0.2);
      expect(await markAt()).toBeLessThan(0.5);
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(REPORT);
      await visit.seen('source-page', { fullPage: false });
    });

    it('is turned, enlarged and read by keyboard', async () => {
      await page.getByRole('button', { name: 'Next page' }).press('Enter');
      await page.getByAltText(`Page 3 of ${REPORT}`).waitFor();
      expect(await page.getByRole('textbox', { name: 'Page', exact: true }).inputValue()).toBe('3');
      await page.getByText('of 4', { exact: true }).waitFor();
      expect(await page.locator('[data-mark]').count()).toBe(0);
      await page.getByRole('button', { name: 'Previous page' }).press('Enter');
      await page.locator('[data-mark]').first().waitFor();
      const width = await imageWidth();
      await page.getByRole('button', { name: 'Zoom in' }).press('Enter');
      await expect(imageWidth()).resolves.toBeCloseTo(width * 1.25, -1);
      await page.getByRole('tab', { name: 'Page', exact: true }).press('ArrowRight');
      await page.locator('[data-quote]').first().waitFor();
      const marked = await page.locator('[data-quote]').allInnerTexts();
      expect(marked.join(' ')).toMatch(/^Re-aluminising .* the rest from members\.$/); // across a line end
      await visit.seen('source-text', { fullPage: false });
    });

    it('is there after a reload, and closes by Escape to the citation', async () => {
      await page.reload();
      await page.locator('[data-mark]').first().waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.source-pane').waitFor({ state: 'detached' });
      await page.locator('.chip:focus').waitFor();
    });

    it('opens the document on this page, and on its text if that was read', async () => {
      await page.locator('.answer .chip').first().click();
      await page.locator('.source-pane [data-mark]').first().waitFor();
      await page.getByRole('link', { name: 'Open the document' }).click();
      await page.locator('.document-page [data-mark]').first().waitFor();
      await page.getByAltText(`Page 2 of ${REPORT}`).waitFor();
      await visit.seen('source-document', { fullPage: false });
      await page.goBack();
      await page.locator('.source-pane').getByRole('tab', { name: 'Text' }).click();
      await page.getByRole('link', { name: 'Open the document' }).click();
      await page.locator('.document-text [data-quote]').waitFor();
    });

    it('opens a PDF of the list on its first page, and other documents on their text', async () => {
      await visit.open('Documents');
      await page.getByRole('link', { name: REPORT }).click();
      await page.getByAltText(`Page 1 of ${REPORT}`).waitFor();
      expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Pages', 'Text', 'Passages', 'Details']);
      await visit.seen('document-opened', { fullPage: false });
      await page.getByRole('tab', { name: 'Text' }).click();
      await page.reload();
      await page.locator('.document-text').waitFor();
      await visit.open('Documents');
      await page.getByRole('link', { name: 'lamps.md' }).click();
      await page.locator('.document-text').waitFor();
      expect(await page.locator('.document-text td').allInnerTexts()).toEqual(['Lamp', '24']);
    });

    it('is the rendered text of a document without pages', async () => {
      await ask('When is the lamp of the lighthouse lit?');
      await page.locator('.answer .chip').first().click();
      await page.locator('[data-quote]').first().waitFor();
      expect(await page.locator('.source-text strong').innerText()).toBe('lighthouse');
      expect(await page.locator('.source-text td').allInnerTexts()).toEqual(['Lamp', '24']);
      expect(await page.getByRole('tab', { name: 'Page', exact: true }).count()).toBe(0);
      await visit.seen('source-markdown', { fullPage: false });
      await page.getByRole('link', { name: 'Close the source' }).click();
      await page.locator('.source-pane').waitFor({ state: 'detached' });
    });

    it('is drawn while the pointer rests on a citation, and shown from there', async () => {
      const drawn: string[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/image')) drawn.push(new URL(request.url()).pathname);
      });
      await page.reload(); // forgets what was drawn
      await ask('How many people visited the observatory on open evenings?');
      const chip = page.locator('.answer .chip').first();
      const image = page.waitForResponse((response) => response.url().endsWith('/image'));
      if (look[0] === 'phone') await chip.focus();
      else await chip.hover();
      expect((await image).status()).toBe(200);
      expect(await page.locator('.source-pane').count()).toBe(0);
      await chip.click();
      await page.getByAltText(`of ${REPORT}`).waitFor();
      await page.locator('[data-mark]').first().waitFor();
      expect(drawn).toHaveLength(1);
      await page.keyboard.press('Escape');
    });

    it('reads as it does in the results of a search', async () => {
      await visit.open('Search');
      await page.getByLabel('What to search for').fill('When is the lamp of the lighthouse lit?');
      await page.keyboard.press('Enter');
      const result = page.locator('.result', { hasText: 'lamps.md' }).first();
      await result.waitFor();
      expect(await result.locator('strong').innerText()).toBe('lighthouse');
      expect(await result.locator('.passage-text').innerText()).not.toMatch(/\*\*|^#|---/m);
      expect(await result.locator('mark').allInnerTexts()).toContain('lamp');
      await visit.seen('search-markdown');
    });

    it('is led to by the citations of a chat that is opened again', async () => {
      await visit.open('Ask');
      await page.getByLabel('Your question').fill('How much did re-aluminising the main mirror cost?');
      await page.keyboard.press('Enter');
      await page.locator('.turn.assistant .sources').waitFor();
      await page.evaluate(() => {
        addEventListener('pagehide', () => {
          sessionStorage.removeItem('lectern.kept');
        }); // as in another tab
      });
      await page.reload();
      await page.locator('.turn.assistant .sources').waitFor();
      await page.locator('.turn.assistant .chip').first().click();
      await page.locator('[data-mark]').first().waitFor();
      await visit.seen('source-chat', { fullPage: false });
    });
  });
