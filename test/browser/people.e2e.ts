import type { Page } from 'playwright-core';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';
import { inBrowser } from './chromium.js';
import { LOOKS, Visit } from './visit.js';

jest.setTimeout(300_000);

inBrowser('people in the playground', () => {
  let service: Service;
  let admin: Visit;
  const visits: Visit[] = [];
  const links = new Map<string, string>();

  const start = async (look = LOOKS[0]!): Promise<Visit> => {
    const visit = await Visit.start(service.url, service.adminKey, look);
    visits.push(visit);
    return visit;
  };
  const invite = async (name: string, may: string): Promise<string> => {
    const { page } = admin;
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('May').selectOption(may);
    await page.getByRole('button', { name: 'Make an invitation' }).click();
    const box = page.getByRole('status', { name: 'To hand over' });
    await box.getByText(`Send this link to ${name}.`).waitFor();
    const link = await box.locator('code').innerText();
    links.set(name, link);
    return link;
  };
  const accept = async (visit: Visit, link: string): Promise<void> => {
    await visit.page.goto(link);
    await visit.page.getByRole('button', { name: 'Sign in' }).click();
    await visit.linkTo('Ask').waitFor();
  };
  const ask = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('Your question').fill(text);
    await page.getByLabel('Your question').press('Enter');
    await page.locator('.bar-chats .chat-link', { hasText: text }).waitFor({ state: 'attached' }); // hidden on a phone
  };
  const rows = (page: Page): Promise<string[]> => page.locator('.bar-chats .chat-link a').allTextContents();

  beforeAll(async () => {
    service = await Service.start();
    await new Documents(() => service.client).ingestText('The keeper is relieved every Tuesday at noon.', {
      filename: 'keeper.txt',
    });
    admin = await start();
    await admin.signIn(service.adminKey);
  });
  afterAll(async () => {
    for (const visit of visits) await visit.close();
    await service.stop();
  });

  it('are invited by an administrator', async () => {
    await admin.open('People');
    await admin.page.getByText('Nobody yet').waitFor();
    const link = await invite('Ann Lee', 'Ask and read');
    expect(new URL(link).pathname).toBe('/');
    expect(new URL(link).hash).toMatch(/^#\/sign-in\/[\w-]{60,}$/);
    await invite('Bob', 'Ask, read and add');
    const table = admin.page.getByRole('table');
    await table.getByText('ann-lee').waitFor();
    await admin.seen('people');
    const desktop = admin.page.viewportSize()!;
    await admin.page.setViewportSize({ width: 390, height: 844 });
    await admin.seen('people-narrow');
    await admin.page.setViewportSize(desktop);
    admin.expectCalm();
  });

  it('sign in once with a link, and have chats of their own', async () => {
    const [ann, bob] = [await start(), await start(LOOKS[1])];
    const code = links.get('Ann Lee')!.split('/').at(-1)!;
    ann.page.on('request', (request) => {
      expect(request.url()).not.toContain(code);
    });
    await ann.page.goto(links.get('Ann Lee')!);
    await ann.seen('invitation');
    await accept(ann, links.get('Ann Lee')!);
    expect(ann.page.url()).not.toContain(code);
    await accept(bob, links.get('Bob')!);
    await ann.open('Documents');
    await bob.open('Documents');
    await ann.page.getByText('keeper.txt').waitFor();
    expect(await ann.page.getByLabel('Files to add').count()).toBe(0);
    await bob.page.getByLabel('Files to add').waitFor({ state: 'attached' });
    for (const [visit, question] of [
      [ann, 'When is the keeper relieved, asks Ann?'],
      [bob, 'Who is relieved, asks Bob?'],
    ] as const) {
      await visit.open('Ask');
      await ask(visit.page, question);
      await visit.page.reload();
      await visit.page.locator('.bar-chats .chat-link').first().waitFor({ state: 'attached' });
      expect(await rows(visit.page)).toEqual([question]);
    }
    const address = ann.page.url();
    await bob.page.goto(address);
    await bob.page.reload();
    await bob.page.getByText('There is no such chat').waitFor();
    expect(new Set(bob.complaints.splice(0))).toEqual(new Set([expect.stringContaining('404') as string]));
    expect(await bob.page.getByText('asks Ann').count()).toBe(0);
    await ann.seen('people-chats');
    for (const visit of [ann, bob]) visit.expectCalm();

    const late = await start();
    await late.page.goto(links.get('Ann Lee')!);
    await late.page.getByRole('button', { name: 'Sign in' }).click();
    await late.page.getByText('The sign-in link was used already').waitFor();
    await late.seen('invitation-used');
    await late.page.getByRole('button', { name: 'Not now' }).click();
    await late.page.getByLabel('API key').waitFor();
    expect(late.complaints.splice(0)).toEqual([expect.stringContaining('401') as string]);
  });

  it('are shown to the administrator with their questions and chats, which nobody else can continue', async () => {
    const { page } = admin;
    await page.reload();
    const row = page.getByRole('row', { name: /Ann Lee/ });
    await row.getByRole('cell', { name: '1', exact: true }).waitFor();
    await admin.open('Ask');
    await page.locator('.chat-link a:visible', { hasText: 'asks Ann' }).click();
    await page.getByText('This chat belongs to ann-lee').waitFor();
    await page.locator('.turn.assistant').waitFor();
    expect(await page.getByLabel('Your question').count()).toBe(0);
    await admin.seen('chats-of-others');
    admin.expectCalm();
  });

  it('are signed out when their access expires', async () => {
    const { page } = admin;
    await admin.open('People');
    await page.getByRole('button', { name: 'End access of Ann Lee' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End access' }).click();
    await page.getByRole('row', { name: /Ann Lee/ }).waitFor({ state: 'detached' });
    const ann = visits[1]!;
    const asked = ann.page.getByText('This key is invalid or was revoked');
    for (let signedOut = false; !signedOut;) {
      await ann.page.reload();
      await asked.or(ann.page.locator('.chat-list')).first().waitFor();
      signedOut = (await asked.count()) > 0;
    }
    ann.complaints.splice(0); // 401
    expect(await ann.page.evaluate(() => localStorage.getItem('lectern.key'))).toBeNull();
  });
});
