import type { Locator, Page } from 'playwright-core';
import { Documents } from '../support/documents.js';
import { inBrowser } from './chromium.js';
import { LampPlayground } from './lamp-playground.js';
import { devices, hide, show } from './visit.js';

const QUESTION = 'When is the lamp lit?';

interface Message {
  readonly content: string;
}

for (const look of devices('phone'))
  inBrowser(`a chat that is kept, ${look[0]}`, () => {
    let lamp: LampPlayground;
    let page: Page;

    beforeAll(async () => {
      lamp = await LampPlayground.open(look);
      ({ page } = lamp);
      await lamp.visit.signIn(lamp.home.service.adminKey);
    });
    afterAll(() => lamp.close());

    const says = (text: string): void => {
      lamp.behave(`encoded:${encodeURIComponent(text)}`);
    };
    const shown = (text: string): Locator => page.locator('.turns').getByText(text);
    const answered = (text: string): Promise<void> =>
      page.locator('.answer', { hasText: text }).locator('.turn-actions').waitFor();
    const chatId = (): string => new URL(page.url()).hash.split('/')[2]?.split('?')[0] ?? '';
    const said = async (): Promise<string[]> =>
      ((await lamp.home.service.client.get(`/chat/${chatId()}`)).json() as Message[]).map(
        ({ content }) => content,
      );
    const retry = (): Promise<void> => page.getByRole('button', { name: 'Try again' }).click();

    it('shows the versions before a retry and an edit', async () => {
      says('It is lit at dusk.');
      await lamp.ask(QUESTION);
      await answered('at dusk');
      says('It is lit at seven.');
      await retry();
      await answered('at seven');
      const versions = page.getByRole('group', { name: 'Version 2 of 2' });
      await versions.getByRole('button', { name: 'Previous version' }).click();
      await shown('It is lit at dusk.').waitFor();
      await shown('This is an earlier version.').waitFor();
      expect(await shown('It is lit at seven.').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      await lamp.visit.seen('chat-version');
      await page.getByRole('button', { name: 'Next version' }).click();
      await shown('It is lit at seven.').waitFor();
      await page.reload();
      await page.getByRole('group', { name: 'Version 2 of 2' }).waitFor();
      says('At noon.');
      await page.getByLabel(`Edit the question: ${QUESTION}`).click();
      await page.getByLabel('Edit the question', { exact: true }).fill('When is it put out?');
      await page.keyboard.press('Enter');
      await answered('At noon.');
      const third = page.getByRole('group', { name: 'Version 3 of 3' });
      await third.getByRole('button', { name: 'Previous version' }).click();
      await page.getByRole('button', { name: 'Previous version' }).click();
      await shown('It is lit at dusk.').waitFor();
      await page.getByRole('button', { name: 'Show the latest' }).click();
      await shown('At noon.').waitFor();
      lamp.visit.expectCalm();
    });

    it('loses nothing that another device has written, and shows it', async () => {
      const client = lamp.home.service.client;
      await hide(page); // otherwise the page may show it before the question
      const elsewhere = {
        query: 'And who lights it?',
        chat_id: chatId(),
        llm_config: { model: 'text:The keeper.' },
      };
      expect((await client.post('/query', elsewhere)).status).toBe(200);
      const before = await said();
      says('Never written.');
      await retry();
      await page
        .getByRole('alert')
        .getByText(/continued elsewhere.*Nothing was sent/)
        .waitFor();
      await shown('The keeper.').waitFor();
      expect(await said()).toEqual(before);
      await lamp.visit.seen('chat-continued-elsewhere');
      lamp.visit.complaints.splice(0); // the 409

      await client.post('/query', { ...elsewhere, query: 'Since when?' });
      await page.getByLabel('Your question').fill('Is it red?');
      await page.keyboard.press('Enter');
      await page.getByText('This chat was continued elsewhere.').waitFor();
      expect(await page.getByLabel('Your question').inputValue()).toBe('Is it red?');
      says('It is white.');
      await page.keyboard.press('Enter');
      await answered('It is white.');
      expect(await page.getByText('This chat was continued elsewhere.').count()).toBe(0);
      expect((await said()).slice(-4)).toEqual(['Since when?', 'The keeper.', 'Is it red?', 'It is white.']);
      lamp.visit.complaints.splice(0);
      await show(page);
    });

    it('is saved as PDF with its sources', async () => {
      await page.evaluate(() => {
        window.print = () => undefined;
      });
      await page
        .locator('.conversation-head')
        .getByRole('button', { name: /^Change, export, share or delete/ })
        .click();
      await page.getByRole('dialog').getByRole('button', { name: 'Print or save as PDF' }).click();
      const documents = new Documents(() => lamp.home.service.client);
      const { external_id: printed } = await documents.ingestFile('chat.pdf', await page.pdf());
      const text = (await documents.text(printed)).replaceAll(/\s+/g, ' ');
      expect(text).toContain('It is white.');
      expect(text).toContain('lamp.txt');
      expect(text).toContain('The lamp of the observatory is lit at dusk.');
      expect(text).not.toContain('Sign out');
      await lamp.home.service.client.delete(`/documents/${printed}`);
    });

    it('is found by its words, pinned and put into a folder', async () => {
      const client = lamp.home.service.client;
      for (const [index, text] of ['dawn', 'noon', 'dusk', 'night', 'fog'].entries()) {
        await client.post('/query', {
          query: `What happens at ${text}?`,
          chat_id: `chat-${index}`,
          llm_config: { model: `text:The ferry waits for the ${text}bird.` },
        });
      }
      await page.goto(`${lamp.home.service.url}/#/ask`);
      await page.reload();
      const list = page.getByRole('navigation', { name: 'Chats' }).filter({ visible: true }).first();
      const search = list.getByRole('searchbox', { name: 'Search chats' });
      await search.fill('ferry FOGBIRD');
      await list.getByText('The ferry waits for the fogbird.').waitFor();
      expect(await list.locator('.chat-link').count()).toBe(1);
      await lamp.visit.seen('chats-found');
      await search.fill('happens fog');
      await list.getByText('What happens at dawn?').waitFor({ state: 'detached' });
      await list.getByText('What happens at fog?').waitFor();
      expect(await list.getByText('What happens at fog?').count()).toBe(1);
      await search.fill('ferry unicorn');
      await list.getByText('No chat contains these words.').waitFor();
      await search.fill('');
      await list.getByText('What happens at dawn?').waitFor();
      const change = async (title: string): Promise<Locator> => {
        await list.getByLabel(`Change, export, share or delete “${title}”`).click();
        return page.getByRole('dialog');
      };
      const pinning = await change('What happens at dawn?');
      await pinning.getByLabel('Pin to the top of the list').check();
      await lamp.visit.seen('chat-dialog', { fullPage: false });
      await pinning.getByRole('button', { name: 'Save' }).click();
      await list.locator('.chat-link').first().getByText('What happens at dawn?').waitFor();
      const grouping = await change('What happens at noon?');
      await grouping.getByLabel('Folder of chats').fill('Birds');
      await grouping.getByRole('button', { name: 'Save' }).click();
      await list.getByText('Birds').click();
      await list.locator('.chat-folder').getByText('What happens at noon?').waitFor();
      await lamp.visit.seen('chats-in-folder');
      const grouped = await change('What happens at dawn?');
      await grouped.getByLabel('Folder of chats').fill('Birds');
      await grouped.getByRole('button', { name: 'Save' }).click();
      await grouped.waitFor({ state: 'detached' });
      const first = list.locator('.chat-link').first();
      await first.getByText('Pinned').waitFor({ state: 'attached' });
      await first.getByText('Birds').waitFor();
      expect(await list.locator('ul, .chat-folder > summary').allInnerTexts()).toEqual([
        expect.stringContaining('at dawn?') as string,
        expect.stringContaining('Birds') as string,
        expect.stringContaining('at noon?') as string,
        expect.stringContaining('at fog?') as string,
      ]);
      expect(await list.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
      await page.reload();
      await list.locator('.chat-link').first().getByText('What happens at dawn?').waitFor();
      lamp.visit.expectCalm();
    });
  });
