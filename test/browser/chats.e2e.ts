import type { Page } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { hold } from './hold.js';
import { LOOKS, Visit } from './visit.js';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';

inBrowser('the list of chats', () => {
  let service: Service;
  let visit: Visit;
  let page: Page;
  const link = (title: string) => page.locator('.bar-chats .chat-link', { hasText: title });
  const deleteIt = async (title: string): Promise<void> => {
    await page.locator('.bar-chats').getByLabel(`Change, export, share or delete “${title}”`).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
  };
  const titles = async (): Promise<string[]> =>
    ((await service.client.get('/chats')).json() as { title: string }[]).map(({ title }) => title);

  beforeAll(async () => {
    service = await Service.start();
    const documents = new Documents(() => service.client);
    await documents.ingestText('The lamp is lit at dusk.', { filename: 'lamp.txt' });
    for (const query of ['When is it lit?', 'What is lit?']) {
      await service.client.post('/query', { query, chat_id: query.slice(0, 4) });
    }
    visit = await Visit.start(service.url, service.adminKey, LOOKS[0]!);
    ({ page } = visit);
    await visit.signIn(service.adminKey);
    await visit.open('Ask');
    await link('What is lit?').waitFor();
  });
  afterAll(async () => {
    await visit.close();
    await service.stop();
  });
  afterEach(() => {
    visit.expectCalm();
  });

  it('asks in other words than the heading above it', async () => {
    const [heading, placeholder] = [
      await page.getByRole('heading', { level: 1 }).innerText(),
      await page.getByLabel('Your question').getAttribute('placeholder'),
    ];
    expect(heading).toBe('What do you want to know?');
    expect(placeholder).toBe('Ask a question about your documents');
  });

  it('shows a chat again that the service does not delete, and says why', async () => {
    await page.route('**/chats/*', (route) =>
      route.fulfill({ status: 403, contentType: 'application/json', body: '{"detail":"Not yours"}' }),
    );
    await deleteIt('What is lit?');
    await page.locator('.bar-chats').getByText('“What is lit?” was not deleted.').waitFor();
    await page.locator('.bar-chats').getByText('Not yours').waitFor();
    await link('What is lit?').waitFor();
    await visit.seen('chat-not-deleted');
    expect(visit.complaints.splice(0)).toEqual([expect.stringContaining('403') as string]);
    await page.unroute('**/chats/*');
  });

  it('loses a chat at once, before the service has deleted it', async () => {
    const { held, release } = hold();
    await page.route('**/chats/*', async (route) => {
      await held;
      await route.continue();
    });
    await deleteIt('What is lit?');
    await link('What is lit?').waitFor({ state: 'detached' });
    expect(await page.getByText('was not deleted').count()).toBe(0);
    expect(await titles()).toContain('What is lit?');
    const listed = page.waitForResponse((response) => response.url().includes('/chats?'));
    release();
    await listed;
    await link('When is it lit?').waitFor();
    expect(await link('What is lit?').count()).toBe(0);
    expect(await titles()).toEqual(['When is it lit?']);
    await page.unroute('**/chats/*');
  });

  it('deletes the open chat, and shows the home', async () => {
    await link('When is it lit?').getByRole('link').click();
    await page.locator('.turn.user', { hasText: 'When is it lit?' }).waitFor();
    await deleteIt('When is it lit?');
    await page.getByRole('heading', { name: 'What do you want to know?' }).waitFor();
    await link('When is it lit?').waitFor({ state: 'detached' });
  });
});
