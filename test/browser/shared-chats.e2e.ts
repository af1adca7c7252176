import type { Page } from 'playwright-core';
import type { Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';
import { inBrowser } from './chromium.js';
import { visitOf } from './person-visit.js';
import { LOOKS, type Visit } from './visit.js';

const OPEN = 'The last boat leaves Torvig pier at noon in winter.';
const OWN = 'The keeper of Torvig pier earns 4711 crowns a month.';

inBrowser('a chat shared by a link', () => {
  let service: Service;
  let ann: Visit;
  let bob: Visit;
  let annsKey: Client;
  let own: string;
  let link: string;

  const ask = async (page: Page, question: string): Promise<void> => {
    await page.getByLabel('Your question').fill(question);
    await page.keyboard.press('Enter');
    await page.locator('.turn-actions').getByRole('button', { name: 'Copy' }).last().waitFor();
  };
  const dialog = (page: Page) => page.locator('dialog[open]');
  const openLink = async (): Promise<void> => {
    await bob.page.goto(link);
    await bob.page.reload();
    await bob.page.locator('.conversation h1, .empty').first().waitFor();
  };
  const withheld = () => bob.page.getByText('This answer is withheld');

  beforeAll(async () => {
    service = await Service.start();
    await new Documents(() => service.client).ingestText(OPEN, { filename: 'open.txt' });
    const first = await visitOf(service, { name: 'Ann Lee', id: 'ann' }, LOOKS[0]!);
    ({ visit: ann, client: annsKey } = first);
    ({ external_id: own } = await new Documents(() => annsKey).ingestText(OWN, { filename: 'own.txt' }));
    ({ visit: bob } = await visitOf(service, { name: 'Bob Ray', id: 'bob' }, LOOKS[1]!));
    await bob.page.getByText('open.txt').first().waitFor();
  });
  afterAll(async () => {
    await ann.close();
    await bob.close();
    await service.stop();
  });
  afterEach(() => {
    for (const visit of [ann, bob]) visit.expectCalm();
  });

  it('is made in the chat, which tells what its readers will see', async () => {
    const { page } = ann;
    await ann.open('Ask');
    await ask(page, 'When does the last boat leave?');
    await page.getByRole('button', { name: 'Share…' }).click();
    await dialog(page).getByText('only if they may read all of its sources').waitFor();
    await ann.seen('chat-share');
    await dialog(page).getByRole('button', { name: 'Make a link' }).click();
    const url = dialog(page).locator('code');
    await url.waitFor();
    link = await url.innerText();
    expect(link).toMatch(new RegExp(`^${service.url}/#/shared/[\\w-]{32}$`));
    await dialog(page).getByText('It works until you end it.').waitFor();
    await ann.seen('chat-shared');
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
  });

  it('shows a colleague the answers with citations that open their source, and nothing to change', async () => {
    const { page } = bob;
    // Ann's answer may have her private note among its sources; while it has, Bob does not get it.
    await annsKey.call('PATCH', `/documents/${own}`, { body: { access_control: { readers: ['bob'] } } });
    await openLink();
    await page.getByRole('heading', { name: 'When does the last boat leave?' }).waitFor();
    await page.getByText('A chat of Ann Lee. You can read it, not change it.').waitFor();
    await page.locator('.answer-text', { hasText: 'noon' }).waitFor();
    expect(await page.getByLabel('Your question').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Edit the question|Helpful|Share/ }).count()).toBe(0);
    await bob.seen('shared-chat');
    await page.locator('.answer-text a.chip').first().click();
    await page.locator('.source-pane, .source-layout.with-source').first().waitFor();
    await page.getByText(OPEN).last().waitFor();
    expect(page.url()).toContain(link.replace(service.url, ''));
    await bob.seen('shared-chat-source');
  });

  it('withholds an answer in words while the colleague may not read a source of it', async () => {
    await ann.page.goto(`${service.url}/#/ask`);
    await ask(ann.page, 'What does the keeper of Torvig pier earn?');
    await ann.page.getByRole('button', { name: 'Share…' }).click();
    await dialog(ann.page).getByText('Not everybody will see 1 of 1 answer.').waitFor();
    await dialog(ann.page).getByRole('listitem').getByText('own.txt').waitFor();
    await ann.seen('chat-share-withheld');
    await dialog(ann.page).getByRole('button', { name: 'Make a link' }).click();
    link = await dialog(ann.page).locator('code').innerText();
    await openLink();
    await bob.page.locator('.answer-text', { hasText: '4711' }).waitFor();
    await annsKey.call('PATCH', `/documents/${own}`, { body: { access_control: { readers: [] } } });
    await openLink();
    await withheld().waitFor();
    expect(await bob.page.getByText('4711').count()).toBe(0);
    expect(await bob.page.getByText('own.txt').count()).toBe(0);
    await bob.seen('shared-chat-withheld');
  });

  it('is shown to its owner again, and ended', async () => {
    const { page } = ann;
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('button', { name: 'Share…' }).click();
    await dialog(page).getByText(link).waitFor();
    await dialog(page).getByRole('button', { name: 'End the link' }).click();
    await dialog(page).getByText('The link no longer works.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Close');
    await openLink();
    await bob.page.getByText('This shared chat does not exist').waitFor();
    await bob.seen('shared-chat-ended');
    const [complaint, ...others] = bob.complaints.splice(0);
    expect([complaint, others]).toEqual([expect.stringContaining('404'), []]);
  });

  it('is shared from the menu of the list too', async () => {
    const { page } = ann;
    await page.keyboard.press('Escape');
    await page.locator('.bar-chats .chat-link').first().getByRole('button').click();
    await dialog(page).getByRole('button', { name: 'Share…' }).click();
    const inner = page.getByRole('dialog', { name: 'Share this chat' });
    await inner.getByLabel('The link works').selectOption('for a week');
    await inner.getByRole('button', { name: 'Make a link' }).click();
    await inner.getByText(/^It works until .*20\d\d/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Change, export, share or delete this chat' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
  });
});
