import type { Page } from 'playwright-core';
import type { Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';
import { inBrowser } from './chromium.js';
import { LOOKS, Visit } from './visit.js';

inBrowser('people in the playground', () => {
  let service: Service;
  let admin: Visit;
  const visits: Visit[] = [];
  const links = new Map<string, string>();

  const start = async (look = LOOKS[0]!): Promise<Visit> => {
    const visit = await Visit.start(service.url, service.adminKey, look);
    visit.page.setDefaultTimeout(60_000); // several browsers share the machine
    visits.push(visit);
    return visit;
  };
  const invite = async (name: string, may: string): Promise<string> => {
    const { page } = admin;
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('May').selectOption(may);
    await page.getByRole('button', { name: 'Make an invitation' }).click();
    const box = page.getByRole('status', { name: 'Link or key to hand over' });
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
    await page.locator('.turn.assistant .turn-actions').waitFor();
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
    await invite('Bob', 'Ask, read and add own documents');
    const table = admin.page.getByRole('table');
    await table.getByText('ann-lee').waitFor();
    await admin.seen('people');
    const desktop = admin.page.viewportSize()!;
    await admin.page.setViewportSize({ width: 390, height: 844 });
    await admin.seen('people-narrow');
    await admin.page.setViewportSize(desktop);
    admin.expectCalm();
  });

  it('of the same name get an identifier of their own, or a warning', async () => {
    const { page } = admin;
    await page.getByLabel('Name').fill('Ann Lee');
    expect(await page.getByLabel('Identifier').inputValue()).toBe('ann-lee-2');
    const warning = page.getByText('A person “ann-lee” already exists.');
    expect(await warning.count()).toBe(0);
    await page.getByLabel('Identifier').fill('ann-lee');
    await warning.waitFor();
    await admin.seen('people-namesake');
    await page.reload();
    await page.getByLabel('Name').waitFor();
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
    await bob.page.getByText('This chat does not exist').waitFor();
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
    // The page asks whose account the invitation opens, and then uses it: both are refused.
    const refused = expect.stringContaining('401') as string;
    expect(late.complaints.splice(0)).toEqual([refused, refused]);
    await late.close();
  });

  describe('with documents of their own', () => {
    const CHANGES = ['Rename…', 'Move…', 'Replace…', 'Delete…'];
    let bob: Visit;
    let page: Page;
    let own: Documents;
    let bobsKey: Client;
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const row = (name: string, at = page) => at.locator('.documents tr', { hasText: name });
    const open = async (name: string): Promise<void> => {
      await bob.open('Documents');
      await page.locator('.documents').getByRole('link', { name }).click();
      await button('Download').waitFor();
    };
    const offered = async (): Promise<string[]> => {
      const counts = await Promise.all(CHANGES.map((name) => button(name).count()));
      return CHANGES.filter((_, index) => counts[index] !== 0);
    };

    beforeAll(async () => {
      bob = visits[2]!;
      ({ page } = bob);
      // The page has no key, so a program of Bob gets one.
      const body = { name: 'program', scopes: ['read', 'query', 'write'], end_user_id: 'bob' };
      const { key } = (await service.client.post('/keys', body)).json() as { key: string };
      bobsKey = service.as(key);
      own = new Documents(() => bobsKey);
    });
    afterEach(() => {
      for (const visit of [bob, admin]) visit.expectCalm();
    });

    it('are told that only they see them, and are offered every change of them and none of shared ones', async () => {
      await bob.open('Documents');
      await page
        .getByText(
          'In a folder shared with others they see what you add. Elsewhere only you do until you share it, and administrators without an account of their own.',
        )
        .waitFor();
      await page.getByLabel('Files to add').setInputFiles({
        name: 'plan.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('The plan of Bob is secret.'),
      });
      await page.getByText('1 of 1 ready').waitFor();
      await row('plan.txt').getByText('Private', { exact: true }).waitFor();
      expect(await row('keeper.txt').getByText('Private').count()).toBe(0);
      expect(await page.getByLabel('Select plan.txt').count()).toBe(1);
      expect(await page.getByLabel('Select keeper.txt').count()).toBe(0);
      await bob.seen('documents-private');
      await open('keeper.txt');
      await page.getByText('Shared: only administrators can change it.').waitFor();
      expect(await offered()).toEqual([]);
      await page.getByRole('tab', { name: 'Details' }).click();
      expect(await button('Edit properties…').count()).toBe(0);
      await bob.seen('document-shared');
      await open('plan.txt');
      expect(await offered()).toEqual(CHANGES);
      await page.getByText('Private', { exact: true }).waitFor();
      await bob.seen('document-private');
    });

    it('are asked nothing about a shared file of the same name but whether to add it', async () => {
      await bob.open('Documents');
      await page.getByLabel('Files to add').setInputFiles({
        name: 'keeper.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('The keeper of Bob.'),
      });
      await page.getByText('“keeper.txt” already exists.').waitFor();
      expect(await button('Replace it').count()).toBe(0);
      await button('Leave out').click();
    });

    it('share one with everybody, and keep the right to change it', async () => {
      await admin.open('Documents');
      await row('plan.txt', admin.page).getByText('Private to Bob').waitFor();
      await admin.seen('documents-of-people');
      await open('plan.txt');
      await page.locator('details.who summary').click();
      await button('Share with everybody').click();
      await page.getByText('Private', { exact: true }).waitFor({ state: 'detached' });
      expect(await offered()).toEqual(CHANGES);
      await admin.page.reload();
      await row('plan.txt', admin.page).waitFor();
      expect(await admin.page.getByText('Private to Bob').count()).toBe(0);
    });

    it('select and share all of theirs', async () => {
      for (const name of ['one.txt', 'two.txt'])
        await own.ingestText(`The note ${name}.`, { filename: name });
      await bob.open('Documents');
      await page.reload();
      await page.getByLabel('Select one.txt').check();
      await button('Select all 3 of yours').click();
      await page.getByText('3 documents selected').waitFor();
      await bob.seen('documents-private-selected');
      await button('Share with everyone…').click();
      await page.getByRole('heading', { name: 'Share 2 documents with everyone?' }).waitFor();
      await page.locator('dialog[open]').getByRole('button', { name: 'Share', exact: true }).click();
      await page.getByRole('region', { name: 'Selected documents' }).waitFor({ state: 'detached' });
      await page.locator('.documents .badge.private').first().waitFor({ state: 'detached' });
      const { documents } = (await service.client.post('/documents', {})).json() as {
        documents: { end_user_id: string | null; access_control: { readers: string[] } }[];
      };
      const seen = documents.map(({ end_user_id, access_control: { readers } }) => [end_user_id, readers]);
      expect(seen.filter(([person]) => person === 'bob')).toEqual(Array(3).fill(['bob', ['everyone']]));
    });

    it('rename and delete folders that have only theirs', async () => {
      await own.ingestText('A letter.', { filename: 'letter.txt', folder_name: '/bobs' });
      await own.ingestText('A note.', { filename: 'note.txt', folder_name: '/mixed' });
      await new Documents(() => service.client).ingestText('A rule.', { folder_name: '/mixed/below' });
      await page.goto(`${service.url}/#/documents?folder=/mixed`);
      await page.reload();
      await page.getByText('You cannot delete the folder: others have something in it').waitFor();
      expect(await button('Delete folder…').count()).toBe(0);
      await bob.seen('folder-shared');
      await page.goto(`${service.url}/#/documents?folder=/bobs`);
      await button('Rename folder…').waitFor();
      await button('Delete folder…').click();
      await page.getByLabel('Type bobs to confirm').fill('bobs');
      await page.locator('dialog[open]').getByRole('button', { name: 'Delete', exact: true }).click();
      await row('note.txt').waitFor();
      expect((await service.client.get('/folders/bobs')).status).toBe(404);
    });

    it('are told how many documents of others go with a folder', async () => {
      await own.ingestText('A list.', { filename: 'list.txt', folder_name: '/crew' });
      const lists = { access_control: { writers: ['everyone'] } };
      expect((await bobsKey.call('PATCH', '/folders/crew', { body: lists })).status).toBe(200);
      await new Documents(() => service.client).ingestText('A tune.', { folder_name: '/crew' });
      await page.goto(`${service.url}/#/documents?folder=/crew`);
      await page.reload();
      await button('Delete folder…').click();
      await page.getByText('1 of them belongs to somebody else, who loses it.').waitFor();
      await bob.seen('folder-delete-others');
      await page.keyboard.press('Escape');
    });
  });

  it('are shown to the administrator with their questions and chats, which nobody else can continue', async () => {
    const { page } = admin;
    await admin.open('People');
    await page.reload();
    const row = page.getByRole('row', { name: /Ann Lee/ });
    await row.getByRole('cell', { name: '1', exact: true }).waitFor();
    await admin.open('Ask');
    const bar = page.locator('.bar-chats');
    await bar.getByText('Chats of others').click();
    const link = bar.locator('.chats-of-others .chat-link', { hasText: 'asks Ann' });
    await link.getByText('Ann Lee').waitFor();
    expect(await bar.locator('.chat-links > ul .chat-link').count()).toBe(0);
    await link.getByRole('link').click();
    await page.getByText('This is a chat of Ann Lee.').waitFor();
    await page.locator('.turn.assistant').waitFor();
    expect(await page.getByLabel('Your question').count()).toBe(0);
    await admin.seen('chats-of-others');
    const chat = new URL(page.url()).hash.split('/').at(-1)!.split('?')[0]!;
    await page.getByRole('button', { name: 'Ask this in a chat of my own' }).click();
    const question = 'When is the keeper relieved, asks Ann?';
    await page.waitForFunction((text) => document.querySelector('textarea')?.value === text, question);
    await page.getByLabel('Your question').press('Enter');
    await page.locator('.turn.assistant .turn-actions').waitFor(); // it is stored with its answer
    await bar.locator('.chat-links > ul .chat-link', { hasText: question }).waitFor();
    const chats = async (own: boolean): Promise<{ chat_id: string; message_count: number }[]> =>
      (await service.client.get(`/chats?own=${String(own)}`)).json() as never;
    expect(await chats(true)).toMatchObject([{ message_count: 2 }]);
    expect((await chats(true)).map(({ chat_id: id }) => id)).not.toContain(chat);
    expect((await chats(false)).find(({ chat_id: id }) => id === chat)).toMatchObject({ message_count: 2 });
    admin.expectCalm();
  });

  it('of an application are not continued by a question of the administrator', async () => {
    const made = await service.client.post('/keys', { name: 'shop', scopes: ['query'] });
    const shop = service.as((made.json() as { key: string }).key);
    await shop.post('/query', { query: 'When is the keeper relieved, asks the shop?', chat_id: 'shop-1' });
    const { page } = admin;
    await page.goto(`${service.url}/#/ask/shop-1`);
    await page.reload();
    await page.getByText('This is a chat of somebody else.').waitFor();
    expect(await page.getByLabel('Your question').count()).toBe(0);
    // It looked for a chat of its own first.
    expect(new Set(admin.complaints.splice(0))).toEqual(new Set([expect.stringContaining('404') as string]));
    await page.locator('.bar-chats').getByText('Chats of others').click();
    await page.locator('.chats-of-others .chat-link', { hasText: 'asks the shop' }).getByRole('link').click();
    await page.getByText('This is a chat of an application.').waitFor();
    await page.locator('.turn.assistant').waitFor();
    admin.expectCalm();
  });

  it('who administer are warned before they end their own access', async () => {
    const made = await service.client.post('/keys', {
      name: 'Second',
      scopes: ['admin'],
      end_user_id: 'second',
    });
    const second = await start();
    await second.signIn((made.json() as { key: string }).key);
    await second.open('People');
    await second.page.getByRole('button', { name: 'End access of Second' }).click();
    const dialog = second.page.locator('dialog[open]');
    await dialog.getByText('This is your own key: you will be signed out.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await second.page.getByRole('button', { name: 'End access of Bob' }).click();
    await dialog.getByText('Access ends within a second, on all devices.').waitFor();
    expect(await dialog.getByText('This is your own key').count()).toBe(0);
    second.expectCalm();
    expect((await service.client.delete(`/keys/${(made.json() as { id: string }).id}`)).status).toBe(200);
  });

  it('are signed out when their access expires', async () => {
    const { page } = admin;
    await admin.open('People');
    await page.getByRole('button', { name: 'End access of Ann Lee' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End access' }).click();
    await page.getByRole('row', { name: /Ann Lee/ }).waitFor({ state: 'detached' });
    const ann = visits[1]!;
    const asked = ann.page.getByLabel('API key');
    for (let signedOut = false; !signedOut;) {
      await ann.page.reload();
      await asked.or(ann.page.locator('.chat-links')).first().waitFor();
      signedOut = (await asked.count()) > 0;
    }
    ann.complaints.splice(0); // 401
    expect(await ann.page.evaluate(() => localStorage.getItem('lectern.key'))).toBeNull();
  });
});
