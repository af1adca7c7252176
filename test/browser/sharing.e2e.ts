import type { Page } from 'playwright-core';
import { Documents } from '../support/documents.js';
import type { Client } from '../support/client.js';
import { Service } from '../support/service.js';
import { inBrowser } from './chromium.js';
import { visitOf } from './person-visit.js';
import { LOOKS, type Visit } from './visit.js';

inBrowser('sharing in the playground', () => {
  let service: Service;
  let ann: Visit;
  let bob: Visit;
  let annsKey: Client;
  let plan: string;

  const openDocument = async ({ page }: Visit, id: string): Promise<void> => {
    await page.goto(`${service.url}/#/documents/${id}`);
    await page.reload();
  };
  const who = (page: Page) => page.locator('details.who');
  const openWho = async (page: Page): Promise<void> => {
    await who(page).locator('summary').click();
  };
  const saved = (page: Page) => who(page).getByText('Saved.').waitFor();
  const add = async (page: Page, text: string, button: string): Promise<void> => {
    await page.getByRole('searchbox', { name: 'Share with a person or a group' }).fill(text);
    await page.getByRole('button', { name: button, exact: true }).click();
  };
  const mayOpen = async (id: string): Promise<string> => {
    await openDocument(bob, id);
    const { page } = bob;
    const shown = page.getByRole('button', { name: 'Download' });
    await shown
      .or(page.getByText('This document is gone').or(page.getByRole('alert')))
      .first()
      .waitFor();
    const isShown = (await shown.count()) > 0;
    if (!isShown) bob.complaints.length = 0; // the browser reports the 404
    return isShown ? 'opens' : 'is not there';
  };

  beforeAll(async () => {
    service = await Service.start();
    await service.client.post('/groups', { id: 'sales', name: 'Sales' });
    const first = await visitOf(service, { name: 'Ann Lee', id: 'ann', groups: [] }, LOOKS[0]!);
    ({ visit: ann, client: annsKey } = first);
    ({ visit: bob } = await visitOf(service, { name: 'Bob Ray', id: 'bob', groups: ['sales'] }, LOOKS[1]!));
    const documents = new Documents(() => annsKey);
    ({ external_id: plan } = await documents.ingestText('The boat leaves at noon.', {
      filename: 'plan.txt',
    }));
  });
  afterAll(async () => {
    await ann.close();
    await bob.close();
    await service.stop();
  });
  afterEach(() => {
    for (const visit of [ann, bob]) visit.expectCalm();
  });

  it('shows with names who can see a document, and lets its author add a reader', async () => {
    const { page } = ann;
    await openDocument(ann, plan);
    await who(page).getByText('Only Ann Lee (you)').waitFor();
    expect(await mayOpen(plan)).toBe('is not there');
    await openWho(page);
    await who(page).getByText('Owner').waitFor();
    await page.getByRole('searchbox', { name: 'Share with a person or a group' }).fill('bob');
    await page.getByRole('button', { name: 'Add as writer: Bob Ray' }).waitFor();
    await ann.seen('who-find');
    await page.getByRole('button', { name: 'Add as reader: Bob Ray' }).press('Enter');
    await saved(page);
    await who(page).getByText('Ann Lee (you), Bob Ray').waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search');
    await ann.seen('who-shared');
  });

  it('lets a reader see it and who else does, and change nothing', async () => {
    expect(await mayOpen(plan)).toBe('opens');
    const { page } = bob;
    await page.getByText('You can read it, not change it.').waitFor();
    await openWho(page);
    await who(page).locator('li', { hasText: 'Bob Ray (you)' }).getByText('Reader').waitFor();
    expect(await who(page).getByRole('button').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Rename…' }).count()).toBe(0);
    await bob.seen('who-reader');
  });

  it('lets a writer change it, and neither delete nor share it', async () => {
    const choice = ann.page.getByLabel('What Bob Ray may do');
    await choice.focus();
    await choice.selectOption('Writer');
    await saved(ann.page);
    await ann.page.waitForFunction(() => document.activeElement?.matches('select:enabled'));
    expect(await choice.inputValue()).toBe('writer');
    expect(await mayOpen(plan)).toBe('opens');
    await bob.page.getByRole('button', { name: 'Rename…' }).waitFor();
    expect(await bob.page.getByRole('button', { name: 'Delete…' }).count()).toBe(0);
    await openWho(bob.page);
    expect(await who(bob.page).getByRole('searchbox').count()).toBe(0);
    await bob.page.getByRole('button', { name: 'Rename…' }).click();
    await bob.page.getByLabel('Name', { exact: true }).fill('boats.txt');
    await bob.page.locator('dialog[open]').getByRole('button', { name: 'Rename', exact: true }).click();
    await bob.page.getByRole('heading', { name: 'boats.txt' }).waitFor();
    await ann.page.reload();
    await ann.page.getByRole('tab', { name: 'Details' }).click();
    await ann.page.getByText(/Version 2, .*: renamed · Bob Ray/).waitFor();
    await ann.seen('document-changed-by');
    await openWho(ann.page);
  });

  it('lets a writer replace it by adding a file of the same name', async () => {
    const { page } = bob;
    await page.goto(`${service.url}/#/documents`);
    await page.getByLabel('Files to add').setInputFiles({
      name: 'boats.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('The boat leaves at night.'),
    });
    await page.getByText('“boats.txt” already exists.').waitFor();
    await bob.seen('twin-of-others');
    await page.getByRole('button', { name: 'Replace it' }).click();
    await page.getByText('1 of 1 ready').waitFor({ timeout: 60_000 });
    expect((await annsKey.get(`/documents/${plan}`)).json()).toMatchObject({
      system_metadata: { version: 3 },
    });
    await openDocument(bob, plan);
    await page.getByRole('button', { name: 'Move…' }).click();
    await page.getByText('who sees this document').waitFor({ state: 'detached' }); // its own readers move with it
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  it('lets a writer move it only to where the same people see it, and says so', async () => {
    const access = { readers: [], writers: ['user:bob'], admins: [] };
    await annsKey.post('/folders', { name: 'crew', full_path: '/crew', access_control: access });
    const { external_id: id } = await new Documents(() => annsKey).ingestText('The crew is on board.', {
      filename: 'crew.txt',
      folder_name: '/crew',
    });
    const { page } = bob;
    await openDocument(bob, id);
    await page.getByRole('button', { name: 'Move…' }).click();
    const dialog = page.locator('dialog[open]');
    await dialog.getByText('You may not decide who sees this document').waitFor();
    await dialog.getByLabel('Folder').fill('');
    await dialog.getByRole('button', { name: 'Move', exact: true }).click();
    await dialog.getByRole('alert').getByText('It was not moved').waitFor();
    await bob.seen('move-refused', { fullPage: false });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    bob.complaints.length = 0; // the browser reports the refusal
    await bob.open('Ask'); // the page of the document would look for it when it is deleted
    expect((await annsKey.delete('/folders/crew?recursive=true')).status).toBe(200);
  });

  it('is taken back', async () => {
    await ann.page.getByRole('button', { name: 'Take back: Bob Ray' }).click();
    await who(ann.page).getByText('Only Ann Lee (you)').waitFor();
    expect(await ann.page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search');
    expect(await mayOpen(plan)).toBe('is not there');
  });

  it('is with a group or with everybody, and the author takes it back again', async () => {
    const { page } = ann;
    await add(page, 'sal', 'Add as reader: Sales');
    await who(page).getByText('Ann Lee (you), Sales').waitFor();
    expect(await mayOpen(plan)).toBe('opens');
    await page.getByRole('button', { name: 'Share with everybody' }).click();
    await who(page).locator('summary').getByText('Everybody in the team').waitFor();
    await page.getByRole('button', { name: 'Take back: Sales' }).click();
    await page.getByRole('button', { name: 'Take back: Sales' }).waitFor({ state: 'detached' });
    expect(await mayOpen(plan)).toBe('opens');
    await page.getByRole('button', { name: 'Make private' }).click();
    await who(page).getByText('Only Ann Lee (you)').waitFor();
    expect(await mayOpen(plan)).toBe('is not there');
  });

  it('says in words why it failed', async () => {
    const { page } = ann;
    await page.route('**/documents/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await page.getByRole('button', { name: 'Share with everybody' }).click();
    await who(page).getByRole('alert').waitFor();
    await who(page).locator('summary').getByText('Only Ann Lee (you)').waitFor();
    await page.unroute('**/documents/*');
    ann.complaints.length = 0; // the browser reports the failed request
  });

  it('of a folder counts for what lies in it', async () => {
    const { page } = ann;
    await page.goto(`${service.url}/#/documents`);
    await page.getByRole('button', { name: 'New folder…' }).click();
    await page.locator('dialog[open]').getByLabel('Path of the folder').fill('/harbour');
    await page.locator('dialog[open]').getByLabel('Only I see it until I share it').check();
    await page.locator('dialog[open]').getByRole('button', { name: 'Create folder' }).click();
    await page.getByText('This folder has no documents').waitFor();
    const { external_id: note } = await new Documents(() => annsKey).ingestText('The lamp is lit.', {
      filename: 'lamp.txt',
      folder_name: '/harbour',
    });
    expect(await mayOpen(note)).toBe('is not there');
    await openWho(page);
    await who(page).getByText('Ann Lee (you)').waitFor();
    await add(page, 'sal', 'Add as writer: Sales');
    await saved(page);
    await ann.seen('who-folder');
    expect(await mayOpen(note)).toBe('opens');
    await openWho(bob.page);
    await who(bob.page).getByText('As in the folder').waitFor();
    await bob.seen('who-inherited');
    await who(bob.page).getByRole('link', { name: '/harbour' }).click();
    await bob.page.getByText('Who can see this folder').waitFor();
    await openDocument(ann, note);
    await openWho(page);
    await page.getByRole('button', { name: 'Make private' }).click();
    await who(page).getByText('Only Ann Lee (you)').waitFor();
    expect(await mayOpen(note)).toBe('is not there');
    await page.getByRole('button', { name: 'As the folder above' }).click();
    await who(page).getByText('Ann Lee (you), Sales').waitFor();
    expect(await mayOpen(note)).toBe('opens');
  });

  it('of a folder is offered for what was private in it before', async () => {
    const { page } = ann;
    const [draft, other] = await Promise.all(
      ['draft.txt', 'other.txt'].map(async (filename) => {
        const document = { filename, folder_name: '/drafts' };
        return (await new Documents(() => annsKey).ingestText(`The words of ${filename}.`, document))
          .external_id;
      }),
    );
    await page.goto(`${service.url}/#/documents?folder=/drafts`);
    await openWho(page);
    const offer = page.getByRole('button', { name: 'Share with the folder…' });
    await page.getByRole('searchbox', { name: 'Share with a person or a group' }).waitFor();
    expect(await offer.count()).toBe(0);
    await add(page, 'sal', 'Add as reader: Sales');
    await page.getByText('2 documents of yours in this folder are private.').waitFor();
    await ann.seen('who-private-inside');
    expect(await mayOpen(draft!)).toBe('is not there');
    await offer.click();
    const dialog = page.locator('dialog[open]');
    const share = dialog.getByRole('button', { name: 'Share', exact: true });
    expect(await share.isDisabled()).toBe(true);
    await dialog.getByLabel('draft.txt').check();
    await ann.seen('who-share-inside', { fullPage: false });
    await share.click();
    await page.getByText('A document of yours in this folder is private.').waitFor();
    expect([await mayOpen(draft!), await mayOpen(other!)]).toEqual(['opens', 'is not there']);
    await offer.click();
    await dialog.getByLabel('The one').check();
    await share.click();
    await offer.waitFor({ state: 'detached' });
    expect(await mayOpen(other!)).toBe('opens');
    for (const id of [draft, other]) await annsKey.delete(`/documents/${id}`);
  });

  it('tells who sees a folder before something is moved there', async () => {
    const { page } = ann;
    await openDocument(ann, plan);
    await page.getByRole('button', { name: 'Move…' }).click();
    const dialog = page.locator('dialog[open]');
    await dialog.getByLabel('Folder').fill('/harbour');
    await dialog.getByText('This folder is seen by: Ann Lee (you), Sales.').waitFor();
    await ann.seen('move-seen-by');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('says that there are more people than it shows', async () => {
    const people = Array.from({ length: 11 }, (_, n) => ({
      name: `Kim Park ${n}`,
      end_user_id: `kim-${n}`,
      scopes: ['read'],
    }));
    expect((await service.client.post('/people', { people })).status).toBe(200);
    const { page } = ann;
    await openDocument(ann, plan);
    await openWho(page);
    await page.getByRole('searchbox', { name: 'Share with a person or a group' }).fill('kim');
    await page.getByText('More people and groups match. Type more of the name.').waitFor();
    expect(await page.getByRole('button', { name: /^Add as reader: Kim/ }).count()).toBe(10);
    await page.getByRole('searchbox', { name: 'Share with a person or a group' }).fill('kim park 7');
    await page.getByRole('button', { name: 'Add as reader: Kim Park 7' }).waitFor();
    await page.getByText('More people and groups match').waitFor({ state: 'detached' });
  });

  it('is found in Documents by those with whom it is shared', async () => {
    await new Documents(() => service.client).ingestText('Everybody reads this.', { filename: 'rules.txt' });
    for (const [visit, names] of [
      [bob, ['lamp.txt']],
      [ann, []],
    ] as const) {
      const { page } = visit;
      await page.goto(`${service.url}/#/documents`);
      await page.reload();
      await page.locator('.documents').getByText('rules.txt').waitFor();
      await page.getByLabel('Shared with me').check();
      await page.locator('.documents').getByText('rules.txt').waitFor({ state: 'detached' });
      if (names.length === 0) await page.getByText('Nothing is shared with you here').waitFor();
      await page.getByText('Loading').waitFor({ state: 'detached' });
      expect(await page.locator('.documents tbody .name a').allTextContents()).toEqual(names);
      await visit.seen('documents-shared-with-me');
      await page.getByLabel('Shared with me').uncheck();
      await page.locator('.documents').getByText('rules.txt').waitFor();
    }
  });
});
