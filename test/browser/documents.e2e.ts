import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { dropFile, dropFromDisk } from './drop-file.js';
import { hold } from './hold.js';
import { LOOKS, Visit } from './visit.js';
import { Documents } from '../support/documents.js';
import { numberedPdf } from '../support/minimal-pdf.js';
import { Service } from '../support/service.js';

const textFile = (name: string) => ({
  name,
  mimeType: 'text/plain',
  type: 'text/plain',
  bytes: Buffer.from(`The words of ${name}.`),
  buffer: Buffer.from(`The words of ${name}.`),
});

inBrowser('the documents of the playground', () => {
  let service: Service;
  let visit: Visit;
  let page: Page;
  let disk: string;
  const key = () => service.adminKey;
  const folderLink = (name: string) =>
    page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name });
  const fold = () => page.locator('.upload-options > summary').click();
  const rows = () => page.locator('.documents tbody tr:not(.gap)');

  beforeAll(async () => {
    disk = await mkdtemp(join(tmpdir(), 'lectern-documents-'));
    service = await Service.start();
    const documents = new Documents(() => service.client);
    for (let number = 10; number < 40; number += 1) {
      await documents.ingestText(`Ferry number ${number}.`, {
        filename: `ferry-${number}-timetable-of-the-winter-season.txt`,
        folder_name: '/harbour/ferries',
      });
    }
    await documents.ingestText('The light of the tower.', {
      filename: 'tower.txt',
      folder_name: '/harbour/lights/tall',
    });
    visit = await Visit.start(service.url, key(), LOOKS[0]!);
    ({ page } = visit);
    await visit.signIn(key());
    await page.locator('.list-head').getByText('31 documents', { exact: true }).waitFor();
  });
  afterAll(async () => {
    await visit.close();
    await service.stop();
    await rm(disk, { recursive: true, force: true });
  });
  afterEach(() => {
    visit.expectCalm();
  });

  it('are shown in a table if it fits, else as a list', async () => {
    for (const width of [769, 853, 960, 1100, 1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await visit.seen(`documents-${width}`);
      const cells = await rows().first().locator('td').all();
      const card = (await page.locator('.listing').boundingBox())!;
      const name = (await page.locator('.documents tbody td.name').first().boundingBox())!;
      const boxes = await Promise.all(cells.map((cell) => cell.boundingBox()));
      const shown = boxes.filter((box) => box !== null);
      expect([width, name.width > 180]).toEqual([width, true]);
      expect([width, shown.every((box) => box.x + box.width <= card.x + card.width + 1)]).toEqual([
        width,
        true,
      ]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('below a folder are listed with the rows of its folders', async () => {
    await folderLink('harbour').click();
    await page.getByText('No documents directly in this folder').waitFor();
    expect(await rows().allInnerTexts()).toEqual([
      expect.stringMatching(/ferries\s+30 documents/) as string,
      expect.stringMatching(/lights\s+1 document$/) as string,
    ]);
    await visit.seen('documents-folders');
    await rows().getByRole('link', { name: 'lights' }).click();
    await rows().getByRole('link', { name: 'tall' }).click();
    await rows().getByRole('link', { name: 'tower.txt' }).waitFor();
  });

  it('of another folder are hidden while the current folder loads', async () => {
    const { held, release } = hold();
    await page.route('**/documents?*', async (route) => {
      await held;
      await route.continue();
    });
    await folderLink('ferries').click();
    await page.getByText('Loading documents…').waitFor();
    expect(await page.getByRole('link', { name: 'tower.txt' }).count()).toBe(0);
    release();
    await page.locator('.list-head').getByText('30 documents', { exact: true }).waitFor();
    await page.unroute('**/documents?*');
  });

  it('keep scroll position and search by name after going back from a document', async () => {
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.evaluate(async () => {
      const scrolled = new Promise((resolve) => {
        addEventListener('scroll', resolve, { once: true });
      });
      scrollTo(0, 120);
      await scrolled;
    });
    const scrolled = await page.evaluate(() => scrollY);
    expect(scrolled).toBeGreaterThan(0);
    const last = rows().last().getByRole('link');
    await last.evaluate((link) => {
      (link as HTMLElement).click(); // Playwright's own click would scroll to it
    });
    await page.getByRole('tab', { name: 'Text' }).waitFor();
    await page.goBack();
    await page.locator('.list-head').getByText('30 documents', { exact: true }).waitFor();
    await page.waitForFunction((top) => scrollY === top, scrolled);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel('Search by file name').fill('ferry-17');
    await page.locator('.list-head').getByText('1 document', { exact: true }).waitFor();
    await rows().getByRole('link').click();
    await page.getByRole('tab', { name: 'Text' }).waitFor();
    await page.goBack();
    await page.locator('.list-head').getByText('1 document', { exact: true }).waitFor();
    expect(await page.getByLabel('Search by file name').inputValue()).toBe('ferry-17');
  });

  it('set the title of the tab, and reopen the same tab panel', async () => {
    await rows().getByRole('link').click();
    await page.getByRole('tab', { name: 'Details' }).click();
    const title = 'ferry-17-timetable-of-the-winter-season.txt · Lectern';
    await page.waitForFunction((expected) => document.title === expected, title);
    await page.reload();
    await page.getByText('Properties', { exact: true }).waitFor();
    await page.waitForFunction((expected) => document.title === expected, title);
    await visit.open('Documents');
    await page.waitForFunction(() => document.title === 'Documents · Lectern');
  });

  it('show passages if page images are requested but absent', async () => {
    const documents = new Documents(() => service.client);
    const table = Buffer.from('lamp,hours\nnorth,12\nsouth,9\n');
    const { external_id: id } = await documents.ingestFile('lamps.csv', table, { use_colpali: 'true' });
    await page.goto(`${service.url}/#/documents/${id}`);
    await page.getByRole('tab', { name: 'Passages' }).click();
    await page.locator('.chunks li', { hasText: 'north' }).waitFor();
    await page.getByRole('button', { name: 'This document as code' }).click();
    expect(await page.locator('.request-code figcaption').allInnerTexts()).not.toContainEqual(
      expect.stringContaining('/documents/pages'),
    );
    expect((await service.client.delete(`/documents/${id}`)).status).toBe(200);
  });

  it('show a page again after an error, and fold long texts', async () => {
    const documents = new Documents(() => service.client);
    const { external_id: id } = await documents.ingestFile('log.pdf', Buffer.from(numberedPdf(20, 'Log')), {
      use_colpali: 'true',
    });
    await page.route('**/pages/6/image', (route) => route.abort());
    await page.goto(`${service.url}/#/documents/${id}?part=pages&page=6`);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute('**/pages/6/image');
    visit.complaints.length = 0;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByAltText('Page 6 of log.pdf').waitFor();
    await page.getByText('of 20', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Next page' }).press('Enter');
    await page.getByAltText('Page 7 of log.pdf').waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Next page');
    await visit.seen('document-page', { fullPage: false });
    await page.getByRole('tab', { name: 'Details' }).click();
    await page.getByText('20 entries').waitFor();
    await visit.seen('document-details');
    expect((await service.client.delete(`/documents/${id}`)).status).toBe(200);
    await visit.open('Documents');
  });

  it('are added to the open folder, not to the one named before', async () => {
    await fold();
    const target = page.getByLabel('Folder', { exact: true });
    await target.fill('/a');
    await folderLink('ferries').click();
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('input[list=folders]')?.value === '/harbour/ferries',
    );
    await target.fill('/a');
    await page.getByText('into /a', { exact: true }).waitFor();
  });

  it('wait for valid metadata, and report it while the options are folded', async () => {
    await page.getByLabel('Properties (JSON)').fill('{"kind": ');
    await fold();
    await dropFile(page, '.drop-zone', textFile('first.txt'));
    const waits = page.getByText('“first.txt” waits until the properties');
    await waits.waitFor();
    await dropFile(page, '.drop-zone', textFile('second.txt'));
    await page.getByText('2 files wait until the properties').waitFor();
    await visit.seen('documents-held');
    expect(await page.locator('.upload').count()).toBe(0);
    await fold();
    await page.getByLabel('Properties (JSON)').fill('{"kind": "held"}');
    expect(await page.locator('.upload').count()).toBe(0); // the JSON may still be incomplete
    await page.getByLabel('Properties (JSON)').blur();
    await page.getByText('2 of 2 ready').waitFor({ timeout: 60_000 });
    await fold();
    const found = await service.client.post('/documents', {
      document_filters: { kind: 'held' },
      fields: ['filename', 'folder_path'],
    });
    const { documents } = found.json() as { documents: { filename: string; folder_path: string }[] };
    expect(documents.map(({ filename, folder_path: path }) => [filename, path]).sort()).toEqual([
      ['first.txt', '/a'],
      ['second.txt', '/a'],
    ]);
  });

  it('keep the tree of a dropped and of a picked folder', async () => {
    const lay = async (name: string): Promise<string> => {
      const folder = join(disk, name);
      for (const path of ['readme.txt', 'old/lamp.txt', 'old/very old/lamp.txt', 'old/.hidden.txt']) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), `The words of ${path} in ${name}.`);
      }
      return folder;
    };
    const tree = async (name: string): Promise<string[]> => {
      const found = await service.client.post('/documents', {
        folder_name: [`/a/${name}`],
        folder_depth: -1,
      });
      const { documents } = found.json() as { documents: { filename: string; folder_path: string }[] };
      return documents.map(({ filename, folder_path: path }) => `${path}/${filename}`).sort();
    };
    const files = (name: string): string[] =>
      ['old/lamp.txt', 'old/very old/lamp.txt', 'readme.txt'].map((path) => `/a/${name}/${path}`);
    await page.goto(`${service.url}/#/documents?folder=%2Fa`);
    await page.getByRole('button', { name: 'Clear finished' }).click();
    const dropped = await lay('dropped');
    await dropFromDisk(page, '.drop-zone', dropped);
    await page.getByText('3 of 3 ready').waitFor({ timeout: 60_000 });
    expect(await tree('dropped')).toEqual(files('dropped'));
    await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: 'very old' }).waitFor();
    await visit.seen('documents-folder-dropped');
    await dropFromDisk(page, '.drop-zone', dropped);
    await page.getByText('3 files already exist.').waitFor();
    await page.getByRole('button', { name: 'Leave out' }).click();
    await page.getByLabel('Folder to add').setInputFiles(await lay('picked'));
    await page.getByText('6 of 6 ready').waitFor({ timeout: 60_000 });
    expect(await tree('picked')).toEqual(files('picked'));
    const empty = join(disk, 'empty');
    await mkdir(empty);
    await dropFromDisk(page, '.drop-zone', empty);
    await page.getByText('There are no files in “empty”.').waitFor();
    await page.goto(`${service.url}/#/documents`);
  });

  it('are not added to a folder that was renamed or deleted meanwhile', async () => {
    await service.client.post('/folders', { name: 'boats', full_path: '/boats' });
    await page.goto(`${service.url}/#/documents?folder=%2Fboats`);
    await page.getByText('Who can see this folder').waitFor();
    const before = await page.locator('.upload').count();
    await service.client.delete('/folders/boats');
    const input = page.getByLabel('Files to add');
    await input.setInputFiles(textFile('ghost.txt'));
    await page.getByText('Nothing was added: the folder /boats does not exist any more').waitFor();
    await page.getByText('This folder does not exist, or was renamed').waitFor();
    await input.waitFor({ state: 'detached' });
    expect(await page.locator('.upload').count()).toBe(before);
    expect((await service.client.get('/folders/boats')).status).toBe(404);
    await visit.seen('documents-folder-missing');
    await page.getByRole('link', { name: 'all documents', exact: true }).click();
    await input.waitFor({ state: 'attached' });
    await page.getByText('Nothing was added').waitFor({ state: 'detached' });
    await page.goto(`${service.url}/#/documents?folder=%2Fnowhere`);
    await page.getByText('This folder does not exist, or was renamed').waitFor();
    await page.goto(`${service.url}/#/documents`);
    await input.waitFor({ state: 'attached' });
    const isExpected = (one: string): boolean => one.includes('404') && /folders\/(boats|nowhere)/.test(one);
    expect(visit.complaints.splice(0).filter((one) => !isExpected(one))).toEqual([]);
  });

  it('lie in a folder with a long name, of which three lines are shown', async () => {
    const name = 'Minutes of the harbour board and of all who were there '.repeat(4).trim();
    const { external_id: id } = await new Documents(() => service.client).ingestText('The board met.', {
      filename: 'board.txt',
      folder_name: `/${name}`,
    });
    await page.goto(`${service.url}/#/documents/${id}`);
    await page.reload();
    const crumb = page.locator('.crumb bdi', { hasText: name });
    await crumb.waitFor();
    await visit.seen('document-long-folder');
    await page.goto(`${service.url}/#/documents?folder=${encodeURIComponent(`/${name}`)}`);
    const link = folderLink(name);
    await link.waitFor();
    expect((await link.boundingBox())!.height).toBeLessThan(100);
    expect(await link.getAttribute('title')).toBe(`/${name}`);
    await visit.seen('documents-long-folder');
    await page.goto(`${service.url}/#/documents`);
    await page.getByText('Who can see this folder').waitFor({ state: 'detached' });
    await service.client.delete(`/folders/${encodeURIComponent(name)}?recursive=true`);
  });

  it('accept files in the drop zone only', async () => {
    await page.getByRole('button', { name: 'Clear finished' }).click();
    const file = join(disk, 'beside.html');
    await writeFile(file, '<title>Beside</title><p>The words of it.</p>');
    await dropFromDisk(page, 'h1', file);
    expect(await page.title()).toBe('Documents · Lectern');
    await dropFromDisk(page, '.drop-zone', file);
    await page.getByText('1 of 1 ready').waitFor({ timeout: 60_000 });
  });

  it('scroll within the list: forty uploads', async () => {
    await page.getByRole('button', { name: 'Clear finished' }).click();
    await page
      .getByLabel('Files to add')
      .setInputFiles(Array.from({ length: 40 }, (_, number) => textFile(`many-${number}.txt`)));
    await page.locator('.upload.waiting').first().waitFor();
    expect(await page.locator('.upload.waiting').first().innerText()).toMatch(/Waiting$/);
    await visit.seen('documents-forty');
    expect((await page.locator('.uploads').boundingBox())!.height).toBeLessThan(400);
    await page.getByText('40 of 40 ready').waitFor({ timeout: 120_000 });
  });
});
