import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { LOOKS, Visit } from './visit.js';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';

const QUESTION = 'Which keeper lights the lamp?';

inBrowser('search and what is found', () => {
  let service: Service;
  let visit: Visit;
  let page: Page;
  let lamp: string;

  beforeAll(async () => {
    service = await Service.start();
    const documents = new Documents(() => service.client);
    for (let keeper = 1; keeper <= 14; keeper++) {
      await documents.ingestText(`Keeper ${keeper} lights lamp ${keeper} at dusk.`, {
        filename: `keeper-${keeper}.txt`,
        metadata: { keeper },
      });
    }
    lamp = (await documents.ingestText('The lamp of Torvig is lit with matches.', { filename: 'torvig.txt' }))
      .external_id;
    visit = await Visit.start(service.url, service.adminKey, LOOKS[0]!);
    ({ page } = visit);
    await visit.signIn(service.adminKey);
    await page.getByRole('link', { name: 'torvig.txt' }).waitFor();
  });
  afterAll(async () => {
    await visit.close();
    await service.stop();
  });

  const results = () => page.locator('.result');
  const filterBy = async (json: string): Promise<void> => {
    await page.getByRole('button', { name: /^Options/ }).click();
    const summary = page.locator('.drawer .filter:not([open]) > summary');
    if (await summary.isVisible()) await summary.click();
    await page.getByLabel('As JSON').fill(json);
    await page.getByRole('button', { name: 'Done' }).click();
  };

  it('shows ten passages, and more below', async () => {
    await visit.open('Search');
    await page.getByLabel('What to search for').fill(QUESTION);
    await page.keyboard.press('Enter');
    await results().nth(9).waitFor();
    expect(await results().count()).toBe(10);
    await page.getByRole('button', { name: 'Show more' }).click();
    await results().nth(14).waitFor();
    expect(await results().count()).toBe(15);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    await visit.seen('search-more');
    visit.expectCalm();
  });

  it('keeps the question and the options in the address', async () => {
    await filterBy('{"keeper": {"$lte": 3}}');
    const stale = page.getByText('found with other options');
    await stale.waitFor();
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText(/^3 results for/).waitFor();
    expect(await stale.count()).toBe(0);
    const address = page.url();
    expect(new URLSearchParams(new URL(address).hash.split('?')[1]).get('q')).toBe(QUESTION);
    await page.goBack();
    await results().nth(9).waitFor(); // the search before, without a filter
    await page.goto(`${service.url}/#/documents`);
    await page.evaluate(() => {
      addEventListener('pagehide', () => {
        sessionStorage.removeItem('lectern.kept');
      }); // as in another tab
    });
    await page.reload();
    await page.goto(address);
    await page.getByText(/^3 results for/).waitFor();
    expect(await page.getByLabel('What to search for').inputValue()).toBe(QUESTION);
    expect(await page.getByRole('button', { name: 'Options (1 set)' }).count()).toBe(1);
    visit.expectCalm();
  });

  it('suggests the fields that documents have', async () => {
    await filterBy('{"keeper": {"$lte": 3}}');
    await page.getByRole('button', { name: /^Options/ }).click();
    const list = await page.getByLabel('Field', { exact: true }).getAttribute('list');
    await page.locator(`#${list} option[value="keeper"]`).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Done' }).click();
  });

  it('finds in files of one type only, and keeps it with the other conditions', async () => {
    const { external_id: id } = await new Documents(() => service.client).ingestText(
      'Keeper 2 lights the lamp by hand.',
      { filename: 'HANDBOOK.MD', metadata: { keeper: 2 } },
    );
    await filterBy('');
    await page.getByRole('button', { name: /^Options/ }).click();
    const type = page.getByLabel('Type of file, by its name');
    await type.selectOption('Web pages');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText('The folder and the options exclude everything').waitFor();
    await filterBy('{"filename": {"$contains": "hand"}, "keeper": 2}');
    await page.getByRole('button', { name: /^Options/ }).click();
    await type.selectOption('Text and Markdown');
    expect(JSON.parse(await page.getByLabel('As JSON').inputValue())).toMatchObject({
      $and: [{ filename: { $regex: expect.stringContaining('markdown') as string } }, {}, { keeper: 2 }],
    });
    await visit.seen('search-file-type');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText(/^1 result for/).waitFor();
    await results().getByText('HANDBOOK.MD').waitFor();
    await page.reload();
    await page.getByText(/^1 result for/).waitFor();
    await page.getByRole('button', { name: /^Options/ }).click();
    expect(await type.inputValue()).toBe('texts');
    await page.getByRole('button', { name: 'Done' }).click();
    await service.client.delete(`/documents/${id}`);
    visit.expectCalm();
  });

  it('says that the options exclude everything, and searches without them', async () => {
    await filterBy('{"keeper": 99}');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText('The folder and the options exclude everything').waitFor();
    await visit.seen('search-excluded');
    await page.getByRole('button', { name: 'Search everywhere without options' }).click();
    await results().nth(9).waitFor();
    visit.expectCalm();
  });

  it('names the tab after the chat, and exports the chat with its citations', async () => {
    await visit.open('Ask');
    await page.getByLabel('Your question').fill('How is the lamp of Torvig lit?');
    await page.keyboard.press('Enter');
    await page.locator('.answer .chip').first().waitFor();
    await page.waitForFunction(() => document.title === 'How is the lamp of Torvig lit? · Lectern');
    await page
      .locator('.conversation-head')
      .getByRole('button', { name: /^Change, export, share or delete/ })
      .click();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as Markdown' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe('How is the lamp of Torvig lit.md');
    const text = await readFile(await file.path(), 'utf8');
    expect(text).toMatch(/^# How is the lamp of Torvig lit\?\n\n## How is the lamp of Torvig lit\?\n\n/);
    expect(text).toMatch(/\[\^1\][^]*\n\n\[\^1\]: torvig\.txt: “The lamp of Torvig is lit with matches\.”\n/);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await visit.open('Search');
    expect(await page.title()).toBe('Search · Lectern');
    visit.expectCalm();
  });

  it('says that a cited document is gone', async () => {
    await page.goBack();
    await page.locator('.answer .chip').first().waitFor();
    await service.client.delete(`/documents/${lamp}`);
    await page.reload();
    await page.locator('.answer .chip').first().click();
    await page.getByText('This document is gone').waitFor();
    expect(await page.getByText('Request id').count()).toBe(0);
    await visit.seen('source-gone');
  });
});
