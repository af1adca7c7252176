import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { devices, Visit } from './visit.js';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';

for (const look of devices('phone'))
  inBrowser(`feedback in the playground, ${look[0]}`, () => {
    let service: Service;
    let visit: Visit;
    let page: Page;
    let reader: string;
    const entries = () => page.locator('.feedback-list > li');

    beforeAll(async () => {
      service = await Service.start();
      await new Documents(() => service.client).ingestText(
        'The keeper is relieved every Tuesday at noon. The lamp is lit at dusk.',
        { filename: 'keeper.txt' },
      );
      const made = await service.client.post('/keys', {
        name: 'Ann',
        end_user_id: 'ann',
        scopes: ['read', 'query'],
      });
      reader = (made.json() as { key: string }).key;
      visit = await Visit.start(service.url, service.adminKey, look);
      ({ page } = visit);
      await visit.signIn(service.adminKey);
    });
    afterAll(async () => {
      await visit.close();
      await service.stop();
    });
    afterEach(() => {
      visit.expectCalm();
    });

    const rate = async (key: string, query: string, rating: object): Promise<void> => {
      const client = service.as(key);
      const chat = query.replaceAll(/\W+/g, '-');
      await client.post('/query', { query, chat_id: chat, inline_citations: true });
      const rated = await client.put(`/chat/${chat}/messages/1/feedback`, rating);
      expect(rated.status).toBe(200);
    };

    it('is empty at first, and has nothing to export', async () => {
      await visit.open('Feedback');
      await page.getByText('No feedback yet').waitFor();
      await page.getByRole('button', { name: 'Export for lectern eval' }).click();
      await page.getByText('Nothing to export: no answer rated good has a citation yet.').waitFor();
      await visit.seen('feedback-empty');
    });

    it('is listed with question, answer, words and person, newest first', async () => {
      await rate(reader, 'When is the keeper relieved?', { rating: 'good' });
      await rate(service.adminKey, 'When is the lamp lit?', { rating: 'bad', comment: 'Too short.' });
      await page.reload();
      await entries().nth(1).waitFor();
      const [latest = '', first = ''] = await entries().allInnerTexts();
      expect(latest).toMatch(/^When is the lamp lit\?\s+Bad answer\s+Too short\./);
      expect(first).toMatch(/^When is the keeper relieved\?\s+Good answer/);
      expect(first).toContain('Ann · ');
      await entries().nth(1).getByText('The answer').first().click();
      await entries().nth(1).getByText('every Tuesday at noon').waitFor();
      await visit.seen('feedback');
    });

    it('is filtered by its thumb', async () => {
      await page.getByLabel('Show').selectOption('good answers');
      await entries().nth(1).waitFor({ state: 'detached' });
      await entries().first().waitFor();
      expect(await entries().locator('h2').allInnerTexts()).toEqual(['When is the keeper relieved?']);
      await page.getByLabel('Show').selectOption('bad answers');
      await entries().filter({ hasText: 'When is the lamp lit?' }).waitFor();
      expect(await entries().count()).toBe(1);
      await page.getByLabel('Show').selectOption('all answers');
      await entries().nth(1).waitFor();
    });

    it('is exported for lectern eval', async () => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export for lectern eval' }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe('questions.jsonl');
      const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
        expect.objectContaining({ question: 'When is the keeper relieved?', end_user_id: 'ann' }),
      ]);
    });

    it('opens the chat of the person, to read', async () => {
      await entries()
        .filter({ hasText: 'When is the keeper relieved?' })
        .getByRole('link', { name: 'Open the chat' })
        .click();
      await page.locator('.turn.assistant', { hasText: 'every Tuesday at noon' }).waitFor();
      await page.getByText('This is a chat of Ann.').waitFor();
      await page.goBack();
      await entries().first().waitFor();
    });

    it('is not shown to a key that only asks', async () => {
      const other = await Visit.start(service.url, reader, look);
      await other.signIn(reader);
      await other.linkTo('Ask').waitFor();
      expect(await other.linkTo('Feedback').count()).toBe(0);
      await other.page.goto(`${service.url}/#/feedback`);
      await other.page.getByText('Only administrators see the feedback').waitFor();
      other.expectCalm();
      await other.close();
    });
  });
