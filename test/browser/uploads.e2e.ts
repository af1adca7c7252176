import type { Page } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { LOOKS, Visit } from './visit.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

const FILES = 50;
const files = Array.from({ length: FILES }, (_, number) => ({
  name: `log-${String(number).padStart(2, '0')}.txt`,
  mimeType: 'text/plain',
  buffer: Buffer.from(`The keeper wrote entry ${number}.`),
}));

inBrowser('uploads in the playground', () => {
  let service: Service;
  let visit: Visit;
  let page: Page;
  const names = async (): Promise<string[]> => {
    const answer = await service.client.post('/documents', { fields: ['filename'], limit: 200 });
    const { documents } = answer.json() as { documents: { filename: string }[] };
    return documents.map(({ filename }) => filename).sort();
  };

  beforeEach(async () => {
    service = await Service.start();
    visit = await Visit.start(service.url, service.adminKey, LOOKS[0]!);
    ({ page } = visit);
    page.on('dialog', (dialog) => void dialog.accept()); // the page asks before it is left
    await visit.signIn(service.adminKey);
    await page.getByText('No documents yet').waitFor();
  });
  afterEach(async () => {
    await visit.close();
    await service.stop();
  });

  it('lose nothing that was accepted when the page is loaded again, and say what was not sent', async () => {
    // The first twenty are accepted; the others never reach the service.
    const accepted = new Set<string>();
    await page.route('**/ingest/file', async (route) => {
      if (accepted.size >= 20) return;
      const name = /filename="([^"]+)"/.exec(route.request().postDataBuffer()?.toString() ?? '')?.[1] ?? '';
      accepted.add(name);
      await route.continue();
    });
    await page.getByLabel('Files to add').setInputFiles(files);
    await page.locator('.upload.sending').first().waitFor();
    await until('20 files are stored', async () => (await names()).length >= 20);
    await page.waitForFunction(
      () => document.querySelectorAll('.upload.processing, .upload.completed').length === 20,
    );
    await visit.pictured('uploads-before-reload');
    await page.reload(); // ends the requests that never reached the service
    await page.unroute('**/ingest/file');
    await page.getByText(`${FILES - 20} files were not sent before the page was closed`).waitFor();
    expect(await page.locator('.upload.unsent').count()).toBe(FILES - 20);
    await page.getByText(`20 of ${FILES} ready`).waitFor({ timeout: 60_000 });
    await visit.seen('uploads-after-reload');
    expect(await names()).toEqual([...accepted].sort());
    const unsent = await page.locator('.upload.unsent .name').allInnerTexts();
    await page.getByLabel('Files to add').setInputFiles(files.filter(({ name }) => unsent.includes(name)));
    await page.getByText(`${FILES} of ${FILES} ready`).waitFor({ timeout: 120_000 });
    expect(await names()).toEqual(files.map(({ name }) => name));
    visit.expectCalm();
  });

  it('find after a reload what had arrived without an answer, and send nothing twice', async () => {
    let arrived = 0;
    await page.route('**/ingest/file', async (route) => {
      await route.fetch();
      arrived += 1; // the answer never comes
    });
    await page.getByLabel('Files to add').setInputFiles(files.slice(0, 10));
    await until('four files have arrived', () => arrived >= 4);
    await page.reload();
    await page.unroute('**/ingest/file');
    await page.getByText('4 of 10 ready').waitFor({ timeout: 60_000 });
    await page.getByText('6 files were not sent before the page was closed').waitFor();
    const unsent = await page.locator('.upload.unsent .name').allInnerTexts();
    await page.getByLabel('Files to add').setInputFiles(files.filter(({ name }) => unsent.includes(name)));
    await page.getByText('10 of 10 ready').waitFor({ timeout: 60_000 });
    expect(await names()).toEqual(files.slice(0, 10).map(({ name }) => name));
  });

  it('go on at the service after the page was closed', async () => {
    await page.getByLabel('Files to add').setInputFiles(files.slice(0, 10));
    await page.waitForFunction(
      () => document.querySelectorAll('.upload.processing, .upload.completed').length === 10,
    );
    await page.goto('about:blank');
    const ready = async (): Promise<number> => {
      const answer = await service.client.post('/documents', { completed_only: true, fields: ['filename'] });
      return (answer.json() as { documents: unknown[] }).documents.length;
    };
    await until('ten documents are ready', async () => (await ready()) >= 10);
  });

  it('wait as long as the service asks after a 429, and say so', async () => {
    let refused = 0;
    await page.route('**/ingest/file', async (route) => {
      if (refused >= 2) return route.continue();
      refused += 1;
      return route.fulfill({
        status: 429,
        headers: { 'retry-after': '3' },
        contentType: 'application/json',
        body: '{"detail":"Too many requests"}',
      });
    });
    const started = Date.now();
    await page.getByLabel('Files to add').setInputFiles(files.slice(0, 6));
    await page.getByText(/Sending goes on in [123] seconds?\./).waitFor();
    await visit.seen('uploads-paused');
    await page.getByText('6 of 6 ready').waitFor({ timeout: 60_000 });
    expect(Date.now() - started).toBeGreaterThan(3_000);
    expect(await page.getByText('Sending goes on').count()).toBe(0);
    expect(await names()).toEqual(files.slice(0, 6).map(({ name }) => name));
  });

  it('leave the list with their documents, and the newest is the first of its state', async () => {
    const listed = () => page.locator('.upload .name').allInnerTexts();
    const add = async (from: number, to: number): Promise<void> => {
      await page.getByLabel('Files to add').setInputFiles(files.slice(from, to));
      await page.getByText(`${to} of ${to} ready`).waitFor({ timeout: 60_000 });
    };
    await add(0, 1);
    await add(1, 2);
    await add(2, 4);
    const [first, second, third, fourth] = files.map(({ name }) => name);
    expect(await listed()).toEqual([fourth, third, second, first]);
    // Until the list has loaded again, rows change and move.
    const listHas = (count: string) => page.locator('.list-head').getByText(count, { exact: true }).waitFor();
    await listHas('4 documents');
    await page.getByLabel(`Select ${first}`).check();
    await page.getByRole('region', { name: 'Selected documents' }).getByText('Delete…').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('3 of 3 ready').waitFor();
    await listHas('3 documents');
    await page.locator('.upload').getByText(second!).click();
    await page.getByText('Delete…').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 of 2 ready').waitFor();
    expect(await listed()).toEqual([fourth, third]);
    const answer = await service.client.post('/documents', { document_filters: { filename: third } });
    const [{ external_id: id }] = (answer.json() as { documents: [{ external_id: string }] }).documents;
    await service.client.delete(`/documents/${id}`);
    await page.reload();
    await page.getByText('1 of 1 ready').waitFor();
    expect(await listed()).toEqual([fourth]);
    await visit.seen('uploads-after-deletion');
    visit.expectCalm();
  });
});
