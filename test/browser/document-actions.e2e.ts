import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { LOOKS, Visit } from './visit.js';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';

const textFile = (name: string, text = `The words of ${name}.`) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(text),
});

inBrowser('documents in the playground', () => {
  let service: Service;
  let documents: Documents;
  let visit: Visit;
  let page: Page;
  const rows = () => page.locator('.documents tbody tr');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const inDialog = (name: string) => page.locator('dialog[open]').getByRole('button', { name, exact: true });
  const open = async (name: string): Promise<void> => {
    await visit.open('Documents');
    await page.getByRole('link', { name }).first().click();
    await button('Download').waitFor();
  };

  beforeAll(async () => {
    service = await Service.start();
    documents = new Documents(() => service.client);
    for (const name of ['b-second.txt', 'a-first.txt', 'c-third.md']) {
      await documents.ingestFile(name, Buffer.from(`The words of ${name}.`), { folder_name: '/shelf/deep' });
    }
    visit = await Visit.start(service.url, service.adminKey, LOOKS[0]!);
    ({ page } = visit);
    await visit.signIn(service.adminKey);
    await page.locator('.list-head').getByText('3 documents', { exact: true }).waitFor();
  });
  afterAll(async () => {
    await visit.close();
    await service.stop();
  });
  afterEach(() => {
    visit.expectCalm();
  });

  it('say their type and when they changed in words, and are sorted', async () => {
    await rows().first().getByText('Markdown').waitFor();
    await rows()
      .first()
      .getByText('just now')
      .or(
        rows()
          .first()
          .getByText(/minutes? ago/),
      )
      .waitFor();
    await page.getByLabel('Order').selectOption('Name, A to Z');
    await rows().first().getByText('a-first.txt').waitFor();
    await page.getByLabel('Order').selectOption('Name, Z to A');
    await rows().first().getByText('c-third.md').waitFor();
    const tree = page.getByRole('navigation', { name: 'Folders' });
    expect(await tree.getByRole('link', { name: 'shelf' }).innerText()).toMatch(/shelf\s+3$/);
    await visit.seen('document-list');
  });

  it('are renamed, moved and downloaded', async () => {
    await open('a-first.txt');
    await button('Rename…').click();
    await page.getByLabel('Name', { exact: true }).fill('first-of-all.txt');
    await visit.seen('document-rename');
    await inDialog('Rename').click();
    await page.getByRole('heading', { name: 'first-of-all.txt' }).waitFor();
    await page.getByText('Ready', { exact: true }).waitFor();
    await button('Move…').click();
    await page.locator('dialog[open]').getByLabel('Folder').fill('/other');
    await inDialog('Move').click();
    await page.locator('.crumb', { hasText: '/other' }).waitFor();
    const download = page.waitForEvent('download');
    await button('Download').click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('first-of-all.txt');
    expect(await readFile(await file.path(), 'utf8')).toBe('The words of a-first.txt.');
    await visit.seen('document-actions');
  });

  it('get another file and other metadata', async () => {
    await open('first-of-all.txt');
    await button('Replace…').click();
    await page.getByLabel('New file').setInputFiles(textFile('first-of-all.txt', 'Other words altogether.'));
    await inDialog('Replace').click();
    await page.getByText('Other words altogether.').waitFor({ timeout: 60_000 });
    await page.getByRole('tab', { name: 'Details' }).click();
    await button('Edit properties…').click();
    await page.getByLabel('Properties as JSON').fill('{"kind": ');
    expect(await inDialog('Save').isDisabled()).toBe(true);
    await page.getByLabel('Properties as JSON').fill('{"kind": "shelved"}');
    await inDialog('Save').click();
    await page.locator('.pairs').first().getByText('shelved').waitFor();
    await page.getByText('Added', { exact: true }).waitFor();
    const changes = page.locator('.pairs li');
    expect((await changes.allInnerTexts()).map((one) => one.replace(/,.*:/, ':'))).toEqual(
      expect.arrayContaining([
        'Version 2: renamed',
        'Version 3: content replaced',
        'Version 4: metadata changed',
      ]),
    );
    await visit.seen('document-metadata');
  });

  it('that failed are tried again', async () => {
    const failed = await documents.ingestFile('broken.pdf', Buffer.from('%PDF-1.7 and nothing else'));
    expect(failed.system_metadata.status).toBe('failed');
    await open('broken.pdf');
    await page.getByText('Failed', { exact: true }).waitFor();
    const asked = page.waitForRequest('**/ingest/requeue');
    await button('Try again').click();
    await asked;
    await page.getByText('Failed', { exact: true }).waitFor({ timeout: 60_000 });
  });

  it('are selected, moved and deleted together', async () => {
    await visit.open('Documents');
    await page.getByLabel('Select b-second.txt').check();
    await page.getByLabel('Select c-third.md').check();
    await page.getByText('2 documents selected').waitFor();
    await visit.seen('documents-selected');
    await button('Move…').click();
    await page.locator('dialog[open]').getByLabel('Folder').fill('/both');
    await inDialog('Move').click();
    await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: 'both' }).click();
    await page.locator('.list-head').getByText('2 documents', { exact: true }).waitFor();
    await page.getByLabel('Select all 2 documents').click();
    await page.getByText('All 2 documents selected').waitFor();
    await button('Delete…').click();
    await inDialog('Delete').click();
    await page.getByText('This folder has no documents').waitFor();
  });

  it('lie in folders that are made, renamed and deleted', async () => {
    await button('New folder…').click();
    await page.locator('dialog[open]').getByLabel('Path of the folder').fill('/fresh');
    await inDialog('Create folder').click();
    await page.getByText('This folder has no documents').waitFor();
    await button('Rename folder…').click();
    await page.locator('dialog[open]').getByLabel('Path of the folder').fill('/older');
    await inDialog('Rename').click();
    const tree = page.getByRole('navigation', { name: 'Folders' });
    await tree.getByRole('link', { name: 'older' }).waitFor();
    expect(await tree.getByRole('link', { name: 'fresh' }).count()).toBe(0);
    await button('Delete folder…').click();
    await page.getByText('It contains no documents.').waitFor();
    await inDialog('Delete').click();
    await page.getByRole('heading', { name: 'Documents' }).waitFor();
    await tree.getByRole('link', { name: 'older' }).waitFor({ state: 'detached' });
  });

  it('in a folder are deleted with it when its name is typed', async () => {
    await documents.ingestText('The words of a page.', {
      folder_name: '/library/letters',
      filename: 'page.txt',
    });
    await page.goto(`${service.url}/#/documents?folder=/library`);
    await page.reload();
    await button('Delete folder…').click();
    await page.getByText('The 1 document in it and its subfolders are deleted too.').waitFor();
    const name = page.getByLabel('Type library to confirm');
    expect(await inDialog('Delete').isDisabled()).toBe(true);
    await name.fill('librar');
    await name.press('Enter');
    expect(await inDialog('Delete').isDisabled()).toBe(true);
    await visit.seen('folder-delete');
    await name.fill('library');
    await name.press('Enter');
    await page
      .getByRole('navigation', { name: 'Folders' })
      .getByText('library')
      .waitFor({ state: 'detached' });
    const folder = await service.client.get('/folders/library');
    expect(folder.status).toBe(404);
  });

  it('are noticed when they are added again, and keep no metadata of the last files', async () => {
    await visit.open('Documents');
    await page.goto(`${service.url}/#/documents`);
    await page.locator('.upload-options > summary').click();
    await page.getByLabel('Properties (JSON)').fill('{"kind": "once"}');
    const add = (text: string) => page.getByLabel('Files to add').setInputFiles(textFile('twin.txt', text));
    await add('The first.');
    await page.getByText('1 of 1 ready').waitFor({ timeout: 60_000 });
    expect(await page.getByLabel('Properties (JSON)').inputValue()).toBe('');
    await add('The second.');
    await page.getByText('“twin.txt” already exists.').waitFor();
    await visit.seen('document-twin');
    await button('Leave out').click();
    expect(await page.locator('.upload').count()).toBe(1);
    await add('The second.');
    await button('Replace it').click();
    await page.getByText('2 of 2 ready').waitFor({ timeout: 60_000 });
    await add('The third.');
    await button('Add again').click();
    await page.getByText('3 of 3 ready').waitFor({ timeout: 60_000 });
    const { documents: found } = (
      await service.client.post('/documents', { document_filters: { filename: 'twin.txt' } })
    ).json() as { documents: { metadata: { kind?: string }; system_metadata: { version: number } }[] };
    expect(
      found.map(({ metadata, system_metadata: { version } }) => [metadata.kind, version]).sort(),
    ).toEqual([
      [undefined, 1],
      ['once', 2],
    ]);
  });

  it('offer a key without write no change', async () => {
    const made = await service.client.post('/keys', { name: 'reader', scopes: ['read', 'query'] });
    const { key } = made.json() as { key: string };
    const reader = await Visit.start(service.url, key, LOOKS[0]!);
    const { page: shown } = reader;
    await reader.signIn(key);
    await shown.getByRole('link', { name: 'first-of-all.txt' }).waitFor();
    for (const name of ['New folder…', 'Delete folder…']) {
      expect(await shown.getByRole('button', { name }).count()).toBe(0);
    }
    expect(await shown.locator('.drop-zone, input[type=checkbox][aria-label^=Select]').count()).toBe(0);
    await shown.getByRole('link', { name: 'first-of-all.txt' }).click();
    await shown.getByRole('button', { name: 'Download' }).waitFor();
    await shown.getByRole('tab', { name: 'Details' }).click();
    for (const name of ['Rename…', 'Move…', 'Replace…', 'Delete…', 'Edit properties…']) {
      expect([name, await shown.getByRole('button', { name }).count()]).toEqual([name, 0]);
    }
    reader.expectCalm();
    await reader.close();
  });
});
