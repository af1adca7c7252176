import type { Locator, Page } from 'playwright-core';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';
import { inBrowser } from './chromium.js';
import { dropFile } from './drop-file.js';
import { devices, Visit } from './visit.js';

for (const look of devices('phone'))
  inBrowser(`questions about one file, ${look[0]}`, () => {
    let home: CompletionService;
    let visit: Visit;
    let page: Page;

    beforeAll(async () => {
      home = await CompletionService.start({ LLM_MODEL: 'hosted_vllm/writer' });
      const { service } = home;
      await new Documents(() => service.client).ingestText('The lamp of the harbour is lit at noon.', {
        filename: 'harbour.txt',
        folder_name: '/sea',
      });
      const made = await service.client.post('/keys', {
        name: 'Ann',
        end_user_id: 'ann',
        scopes: ['read', 'query', 'write'],
      });
      const { key } = made.json() as { key: string };
      visit = await Visit.start(service.url, key, look);
      ({ page } = visit);
      await visit.signIn(key);
      await page.getByRole('link', { name: 'harbour.txt' }).waitFor();
      await visit.open('Ask');
    });
    afterAll(async () => {
      await visit.close();
      await home.stop();
    });
    afterEach(() => {
      visit.expectCalm();
    });

    const scope = (): Locator => page.getByRole('list', { name: 'Only these documents' });
    const ask = async (question: string): Promise<Locator> => {
      const answers = await page.locator('.turn.assistant .turn-actions').count();
      await page.getByLabel('Your question').fill(question);
      await page.keyboard.press('Enter');
      await page.locator('.turn.assistant .turn-actions').nth(answers).waitFor();
      const sources = page.locator('.sources').nth(answers);
      await sources.locator('summary').click();
      return sources;
    };
    const names = (sources: Locator): Promise<string[]> => sources.locator('.source p a').allInnerTexts();

    it('take a file dropped on the question, which is private, and the scope of the chat', async () => {
      await page.getByLabel('Search in').waitFor();
      await dropFile(page, '.question', {
        name: 'lighthouse.txt',
        type: 'text/plain',
        bytes: Buffer.from('The lamp of the lighthouse is lit at dusk.'),
      });
      await scope().getByRole('link', { name: 'lighthouse.txt' }).waitFor();
      await page
        .getByText('Only you see what you added here, and administrators without an account of their own.')
        .waitFor();
      expect(await page.getByLabel('Search in').count()).toBe(0);
      await visit.seen('file-dropped-on-question');
      await scope().locator('.badge').waitFor({ state: 'detached' });
      const found = await home.service.client.post('/documents', {
        document_filters: { filename: 'lighthouse.txt' },
      });
      const { documents } = found.json() as { documents: { end_user_id: string | null }[] };
      expect(documents.map(({ end_user_id: owner }) => owner)).toEqual(['ann']);
      expect(await names(await ask('When is the lamp lit?'))).toEqual(['lighthouse.txt, passage 1']);
      await page.reload();
      await scope().getByRole('link', { name: 'lighthouse.txt' }).waitFor();
    });

    it('search everything again after its removal, and one source if it is chosen', async () => {
      await page.getByRole('button', { name: 'Remove the restriction to lighthouse.txt' }).click();
      expect(await scope().count()).toBe(0);
      const both = await ask('Which lamps are lit?');
      expect((await names(both)).sort()).toEqual(['harbour.txt, passage 1', 'lighthouse.txt, passage 1']);
      await both
        .locator('.source')
        .filter({ hasText: 'harbour.txt' })
        .getByLabel('Ask only this document')
        .check();
      await scope().getByRole('link', { name: 'harbour.txt' }).waitFor();
      await visit.seen('source-chosen');
      expect(await names(await ask('And when?'))).toEqual(['harbour.txt, passage 1']);
    });

    it('begin on the page of a document', async () => {
      await visit.open('Documents');
      await page.getByRole('link', { name: 'lighthouse.txt' }).click();
      await page.getByRole('button', { name: 'Ask this document' }).click();
      await page.getByRole('heading', { name: 'What do you want to know?' }).waitFor();
      await scope().getByRole('link', { name: 'lighthouse.txt' }).waitFor();
      expect(await scope().getByRole('link').count()).toBe(1);
      const suggested = page.getByRole('list', { name: 'Suggested questions' }); // they are about all documents
      expect(await suggested.count()).toBe(0);
      expect(await names(await ask('When is the lamp lit?'))).toEqual(['lighthouse.txt, passage 1']);
    });

    it('wait until a chosen file is ready, and are sent then', async () => {
      await visit.open('Ask');
      await page.getByRole('heading', { name: 'What do you want to know?' }).waitFor();
      await page.route('**/documents', async (route) => {
        const answer = await route.fetch();
        const body = (await answer.json()) as { documents?: { system_metadata?: { status: string } }[] };
        for (const { system_metadata: system } of body.documents ?? []) {
          if (system !== undefined) system.status = 'processing';
        }
        await route.fulfill({ response: answer, json: body });
      });
      await page.getByLabel('Files to ask about').setInputFiles({
        name: 'buoy.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('The buoy is green.'),
      });
      await scope().getByText('Processing').waitFor();
      await page.getByLabel('Your question').fill('Which colour has the buoy?');
      await page.keyboard.press('Enter');
      const waiting = page.getByText('The question is sent when the documents are ready.');
      await waiting.waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await waiting.waitFor({ state: 'detached' });
      await page.getByLabel('Your question').press('Enter');
      await waiting.waitFor();
      expect(await page.locator('.turn').count()).toBe(0);
      await page.unroute('**/documents');
      await page.locator('.turn.assistant', { hasText: 'green' }).waitFor();
      expect(await waiting.count()).toBe(0);
      expect(await page.locator('.turn.user').allInnerTexts()).toEqual(['Which colour has the buoy?']);
    });
  });
