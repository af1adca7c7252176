import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { dropFile } from './drop-file.js';
import { hold } from './hold.js';
import { SHOTS, USUAL_LOOKS, Visit } from './visit.js';
import { Documents } from '../support/documents.js';
import { ServiceProcess } from '../support/process.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

const REPORT = 'observatory-annual-report-2025.pdf';
const MANUAL = 'greenhouse-controller-manual.md';
const QUESTION = 'How much did re-aluminising the main mirror cost?';

for (const look of USUAL_LOOKS)
  inBrowser(`the playground, ${look[0]}`, () => {
    let service: Service;
    let visit: Visit;
    let page: Page;
    let key: { readonly id: string; readonly key: string };
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'lectern-playground-'));
      service = await Service.start();
      const made = await service.client.post('/keys', { name: 'p', app_id: 'play', scopes: ['admin'] });
      key = made.json() as typeof key;
      visit = await Visit.start(service.url, key.key, look);
      ({ page } = visit);
    });
    afterAll(async () => {
      await visit.close();
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    });
    afterEach(() => {
      visit.expectCalm();
    });

    const seen: Visit['seen'] = (...shot) => visit.seen(...shot);
    const openOptions = async (): Promise<void> => {
      if (await page.locator('.drawer[open]').isVisible()) return;
      await page.getByRole('button', { name: /^Options/ }).click();
      await page.locator('.drawer[open]').waitFor();
    };
    /** Opens the options, and the filter inside them. */
    const openFilter = async (): Promise<void> => {
      await openOptions();
      const summary = page.locator('.drawer .filter:not([open]) > summary');
      if (await summary.isVisible()) await summary.click();
    };
    const closeOptions = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Close the options' }).click();
    };
    const hasFocus = (name: string) =>
      page.waitForFunction((expected) => {
        const { ariaLabel, textContent } = document.activeElement!;
        return (ariaLabel ?? textContent.trim()) === expected;
      }, name);
    const comesIntoView = (selector: string) =>
      page.waitForFunction((wanted) => {
        const box = document.querySelector(wanted)?.getBoundingClientRect();
        return box !== undefined && box.top >= 0 && box.bottom <= innerHeight;
      }, selector);

    it("shows the service's error for a wrong key", async () => {
      await seen('sign-in');
      await page.getByLabel('API key').fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('This key is invalid or was revoked').waitFor();
      await seen('wrong-key');
      expect(visit.complaints.splice(0)).toEqual([expect.stringContaining('401') as string]);
      await page.getByLabel('API key').fill('ключ');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('This key is invalid or was revoked').waitFor();
      expect(await page.getByRole('alert').innerText()).not.toContain('Headers');
    });

    it('signs in with a valid key, and shows the first steps', async () => {
      await visit.signIn(key.key);
      await page.getByText('No documents yet').waitFor();
      await seen('empty');
      for (const [name, words] of [
        ['Search', 'Search in your own words'],
        ['Ask', 'What do you want to know?'],
        ['Quality check', 'How good are the answers'],
      ] as const) {
        await visit.open(name);
        await page.getByText(words).first().waitFor();
        await seen(`empty-${name.toLowerCase()}`);
      }
      const stored = await page.evaluate(() => [sessionStorage.length, localStorage.length]);
      expect(stored).toEqual([1, 0]);
    });

    it('ingests a dropped PDF, and reports when it is ready', async () => {
      await visit.open('Documents');
      await page.getByText('Options').first().click();
      await page.getByLabel('Folder', { exact: true }).fill('/reports/annual');
      await page.getByLabel('Properties (JSON)').fill('{"kind": "report", "year": 2025}');
      await page.getByText('Search page images too').click();
      await seen('upload-options');
      await dropFile(page, '.drop-zone', {
        name: REPORT,
        type: 'application/pdf',
        bytes: await readFile(join('demo/documents', REPORT)),
      });
      await page.locator('.upload.processing').waitFor();
      await page.getByRole('cell', { name: 'Processing' }).waitFor();
      await visit.pictured('uploading');
      await page.getByText('Ready for search').waitFor({ timeout: 120_000 });
      await page.getByRole('cell', { name: 'Ready', exact: true }).waitFor();
      await seen('documents');
    });

    it('ingests several files, and shows why one cannot be read', async () => {
      await page.getByLabel('Files to add').setInputFiles([
        { name: MANUAL, mimeType: 'text/markdown', buffer: await readFile(join('demo/documents', MANUAL)) },
        { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 broken') },
      ]);
      await page.locator('.upload.failed .problem-text').waitFor({ timeout: 120_000 });
      await page.locator('.upload.completed').nth(1).waitFor({ timeout: 120_000 });
      await page.locator('.badge.failed').waitFor();
      await seen('documents-failed');
      await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: 'annual' }).click();
      await page.locator('.list-head').getByText('3 documents', { exact: true }).waitFor();
      await page.getByLabel('Search by file name').fill('greenhouse');
      await page.locator('.list-head').getByText('1 document', { exact: true }).waitFor();
      await page.getByLabel('Search by file name').fill('');
      await page.locator('.list-head').getByText('3 documents', { exact: true }).waitFor();
    });

    it('searches with a filter, and shows the components of a score', async () => {
      await page.locator('h1').click();
      await page.keyboard.press('/');
      await page.waitForFunction(
        () => document.activeElement?.getAttribute('aria-label') === 'What to search for',
      );
      await page.keyboard.type(QUESTION);
      await openOptions();
      await page.getByText('Filter', { exact: true }).click();
      await page.getByRole('button', { name: 'Condition' }).click();
      await hasFocus('Field');
      await page.getByRole('button', { name: 'Group' }).click();
      await hasFocus('Field');
      await page.keyboard.type('kind');
      await page.getByRole('button', { name: 'Remove condition kind' }).press('Enter');
      await hasFocus('Condition');
      await page.getByRole('button', { name: 'Remove group' }).press('Enter');
      await hasFocus('Condition');
      await page.getByLabel('Field').fill('year');
      await page.getByLabel('Operator').selectOption('$gte');
      await page.getByLabel('Value').fill('2024');
      expect(JSON.parse(await page.getByLabel('As JSON').inputValue())).toEqual({ year: { $gte: 2024 } });
      await page.getByLabel('As JSON').fill('{"kind": "report", "year": {"$gte": 2025}}');
      expect(await page.getByLabel('Field').nth(1).inputValue()).toBe('year');
      await seen('options', { fullPage: false });
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'Options (1 set)' }).waitFor();
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.locator('.result').first().waitFor();
      expect(await page.locator('.result h2').first().innerText()).toContain(REPORT);
      expect(await page.locator('.result').first().locator('mark').count()).toBeGreaterThan(1);
      expect(await page.locator('.score').first().innerText()).toMatch(
        /0\.\d{3}\s+meaning 0\.\d\d\s+words 0\.\d\d/,
      );
      await page.getByRole('button', { name: 'This search as code' }).click();
      for (const language of ['curl', 'Python', 'TypeScript']) {
        await page.getByRole('tab', { name: language }).click();
        const code = await page.locator('.request-code pre').innerText();
        expect(code).toContain('LECTERN_API_KEY');
        expect(code).not.toContain(key.key);
      }
      await seen('code', { fullPage: false });
      await page.getByRole('button', { name: 'Close the code' }).click();
      await seen('search');
    });

    it('shows the error of a filter at its location', async () => {
      await openFilter();
      await page.getByLabel('As JSON').fill('{"year": {"$gte": [1]}}');
      await closeOptions();
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      expect(await page.locator('.condition .problem-text').innerText()).toContain('$gte expects a number');
      await seen('filter-refused');
      expect(visit.complaints.splice(0)).toEqual([expect.stringContaining('422') as string]);
      await page.getByLabel('As JSON').fill('');
      await closeOptions();
    });

    it('sends nothing while the options are invalid, and reports it', async () => {
      let sent = 0;
      page.on('request', (request) => {
        if (request.url().includes('/retrieve/') || request.url().endsWith('/query')) sent += 1;
      });
      for (const [view, label] of [
        ['Search', 'What to search for'],
        ['Ask', 'Your question'],
      ] as const) {
        await visit.open(view);
        await page.getByLabel(label).fill(QUESTION);
        await openFilter();
        await page.getByLabel('As JSON').fill('{"kind": "repor');
        await closeOptions();
        await page.getByLabel(label).press('Enter');
        await page.locator('.question').getByText('The filter in the options is not valid JSON').waitFor();
        await seen(`filter-unreadable-${view.toLowerCase()}`);
        await openFilter();
        await page.getByLabel('As JSON').fill('');
        await page.locator('.question .problem-text').waitFor({ state: 'detached' });
        await page.getByLabel('Minimum score').fill('2');
        await page.getByText('Must be from 0 to 1.', { exact: true }).waitFor();
        await closeOptions();
        await page.getByLabel(label).press('Enter');
        await page.locator('.question').getByText('The minimum score').waitFor();
        await openOptions();
        await page.getByLabel('Minimum score').fill('');
        await closeOptions();
      }
      expect(sent).toBe(0);
    });

    it('shows pages with their neighbours', async () => {
      await visit.open('Search');
      await openOptions();
      await page.getByText('Find images of pages too').click();
      await page.getByLabel('Number of passages').fill('1'); // all four pages match
      await page.getByLabel('Neighbouring pages').fill('1');
      await closeOptions();
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.locator('.strip .match img').first().waitFor();
      await page.waitForFunction(
        () => document.querySelector<HTMLImageElement>('.strip .match img')?.complete,
      );
      await seen('search-pages');
      await page.reload();
      await page.locator('.strip .match img').first().waitFor();
      await openOptions();
      expect(await page.getByLabel('Neighbouring pages').inputValue()).toBe('1');
      await closeOptions();
    });

    it('keeps the button of the options in its place while the folders load', async () => {
      const { held, release } = hold();
      const isFolders = ({ pathname }: URL): boolean => pathname === '/folders';
      await page.route(isFolders, async (route) => {
        await held;
        await route.continue();
      });
      await page.reload();
      await page.locator('.strip .match img').first().waitFor();
      const place = () => page.getByRole('button', { name: /^Options/ }).boundingBox();
      const before = await place();
      release();
      await page.getByLabel('Search in').waitFor();
      expect(await place()).toEqual(before);
      await page.unroute(isFolders);
    });

    it('searches with a query image', async () => {
      const image = await page.locator('.strip .match img').first().getAttribute('src');
      const bytes = Buffer.from(await (await fetch(new URL(image!, service.url))).arrayBuffer());
      await dropFile(page, '.question', { name: 'page.png', type: 'image/png', bytes });
      await page.getByAltText('The question: page.png').waitFor();
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.locator('.result img').first().waitFor({ timeout: 60_000 }); // OCR has read its words
      await page.waitForFunction(() => document.querySelector<HTMLImageElement>('.result img')?.complete);
      expect(Number(await page.locator('.score-value').first().innerText())).toBeGreaterThan(0.9);
      await seen('search-by-image');
      await page.getByRole('button', { name: 'Remove the image' }).press('Enter');
      await hasFocus('What to search for');
    });

    it('answers, and links a citation to the quoted words', async () => {
      await visit.open('Ask');
      await page.getByLabel('Your question').fill(QUESTION);
      await page.keyboard.press('Enter');
      await page.locator('.answer .chip').first().waitFor();
      expect(await page.locator('.answer-text').innerText()).toContain('48,600');
      await page.locator('.sources summary').click();
      await page.locator('.source').first().waitFor();
      await seen('answer');
      await page.locator('.answer .chip').first().click();
      await comesIntoView('[data-mark]');
      await seen('citation', { fullPage: false });
      await page.getByRole('tab', { name: 'Text', exact: true }).click();
      await page.locator('[data-quote]').first().waitFor();
      expect((await page.locator('[data-quote]').allInnerTexts()).join(' ')).toContain('48,600');
      await comesIntoView('[data-quote]');
      await page.getByRole('link', { name: 'Open the document' }).click();
      const image = page.locator('.page-beside img');
      await image.scrollIntoViewIfNeeded();
      await image.evaluate((element) => (element as HTMLImageElement).decode());
      expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBeGreaterThan(
        500,
      );
      await seen('document', { fullPage: false });
      await page.goBack();
      await page.getByRole('link', { name: 'Close the source' }).click();
      await page.locator('.answer .chip').first().waitFor(); // restored after the reload
      await page.reload();
      await page.locator('.answer .chip').first().waitFor();
    });

    it('offers no question by an image if the model has no vision, and says where one works', async () => {
      expect(await page.getByRole('button', { name: 'Ask with an image' }).count()).toBe(0);
      const bytes = await readFile(join(SHOTS, `${look[0]}-answer.png`));
      await dropFile(page, '.question', { name: 'page.png', type: 'image/png', bytes });
      await page.getByText('The language model in use does not read images').waitFor();
      await seen('image-refused');
      await page.getByLabel('Your question').fill(QUESTION);
      await page.keyboard.press('Enter');
      await page.locator('.answer .chip').first().waitFor();
    });

    it('shows the pages and metadata of a document', async () => {
      await page.locator('.answer .chip').first().click();
      await page.getByRole('link', { name: 'Open the document' }).click();
      await page.locator('.document-page [data-mark]').first().waitFor();
      await page.getByRole('textbox', { name: 'Page', exact: true }).fill('4');
      await page.keyboard.press('Enter');
      await page.getByAltText(/^Page 4 of /).waitFor();
      await seen('document-pages');
      await page.getByRole('textbox', { name: 'Page', exact: true }).fill('5'); // there are four
      await page.keyboard.press('Enter');
      expect(await page.getByRole('textbox', { name: 'Page', exact: true }).inputValue()).toBe('4');
      await page.getByRole('button', { name: 'Back to the mark' }).click();
      await page.locator('.page-sheet [data-mark]').first().waitFor();
      await page.getByRole('tab', { name: 'Pages' }).press('ArrowRight');
      await page.getByRole('tab', { name: 'Text' }).press('ArrowRight');
      await page.getByRole('tab', { name: 'Passages' }).press('ArrowRight');
      await page.getByText('Properties', { exact: true }).waitFor();
      expect(await page.locator('.pairs').first().innerText()).toContain('2025');
      await seen('document-details');
    });

    it('stores a conversation, which is renamed and deleted', async () => {
      await visit.open('Ask');
      await page.getByLabel('Your question').fill('What does error E07 mean?');
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.locator('.turn.assistant .chip').first().waitFor();
      await page.getByLabel('Your question').fill('And error E11?');
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.locator('.turn.assistant .sources').nth(1).waitFor();
      await seen('chat');
      const actions = () =>
        page.locator('.conversation-head').getByRole('button', { name: /^Change, export, share or delete/ });
      await actions().click();
      await page.getByLabel('Title').fill('Greenhouse errors');
      await seen('chat-rename');
      await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('heading', { name: 'Greenhouse errors' }).waitFor();
      await page.reload();
      await page.getByText('And error E11?').waitFor();
      await visit.open('Ask');
      await page.locator('.chat-link a:visible', { hasText: 'Greenhouse errors' }).waitFor();
      await seen('chats');
      await page.locator('.chat-link a:visible', { hasText: 'Greenhouse errors' }).click();
      await actions().click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
      await page.getByRole('heading', { name: 'What do you want to know?' }).waitFor();
      await page
        .locator('.chat-link', { hasText: 'Greenhouse errors' })
        .first()
        .waitFor({ state: 'detached' });
    });

    it('shows one report of lectern eval, or compares two', async () => {
      const client = service.as(key.key);
      const questions = [
        {
          question: 'What does error E07 mean?',
          document: MANUAL,
          answer: 'heater',
        },
        { question: QUESTION, document: REPORT, page: 2, answer: '48,600' },
        { question: 'How long may sensor cables be?', quote: 'up to 25 metres long' },
        { question: 'Who is the harbour master of Atlantis?', document: REPORT, answer: 'Poseidon' },
      ];
      const file = join(folder, 'questions.jsonl');
      await writeFile(file, questions.map((question) => JSON.stringify(question)).join('\n'));
      const evaluate = (out: string, ...more: readonly string[]) =>
        ServiceProcess.spawn({ LECTERN_URL: service.url, LECTERN_API_KEY: key.key }, 'dist/cli/lectern.js', [
          'eval',
          file,
          '--out',
          join(folder, out),
          ...more,
        ]).end();
      expect((await evaluate('before.json')).code).toBe(0);
      await new Documents(() => client).ingestText('The harbour master of Atlantis is Poseidon.', {
        filename: 'atlantis.txt',
      });
      const against = await evaluate('after.json', '--against', join(folder, 'before.json'));
      expect(against.code).toBe(0);

      await visit.open('Quality check');
      await page.getByLabel('Reports').setInputFiles(join(folder, 'before.json'));
      await page.getByRole('heading', { name: 'Worst questions' }).waitFor();
      await seen('evaluation');
      await page.getByLabel('Reports').setInputFiles(join(folder, 'after.json'));
      await page.getByText('As lectern eval --against prints it').waitFor();
      const said = await page.locator('.summary pre').innerText();
      expect(said).toContain('Against the run of');
      expect(against.output).toContain(said);
      if (look[0] !== 'phone') {
        for (const part of ['.about', 'h2', '.plots', '.plots + .report']) {
          const tops = await page
            .locator('.side-by-side > section')
            .evaluateAll(
              (sides, selector) =>
                sides.map((side) => side.querySelector(selector)?.getBoundingClientRect().top),
              part,
            );
          expect([part, tops[0]]).toEqual([part, tops[1]]);
        }
      }
      await seen('evaluation-two');
      await page.getByLabel('Reports').setInputFiles(join('demo/documents', MANUAL));
      await page.getByText('is not a JSON report').waitFor();
    });

    it('deletes a document after confirmation', async () => {
      await visit.open('Documents');
      await page.getByRole('link', { name: 'broken.pdf' }).click();
      await page.getByRole('alert').first().waitFor();
      await seen('document-failed');
      await page.getByRole('button', { name: 'Delete…' }).click();
      await seen('document-delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await page.locator('.list-head').getByText('2 documents', { exact: true }).waitFor();
    });

    it('links the API reference in every view', async () => {
      const opened = page.context().waitForEvent('page');
      await page.getByRole('link', { name: 'API reference (opens in a new tab)' }).click();
      const reference = await opened;
      expect(reference.url()).toBe(new URL('/docs', service.url).href);
      await reference.close();
      await page.getByRole('heading', { name: 'Documents' }).waitFor();
    });

    it('switches the colour scheme, and remembers it', async () => {
      const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const before = await ground();
      await page.getByRole('button', { name: 'Dark mode' }).click();
      const after = await ground();
      expect(after).not.toBe(before);
      await page.reload();
      await page.getByRole('heading', { name: 'Documents' }).waitFor();
      expect(await ground()).toBe(after);
      await seen('other-colours');
    });

    it('asks for a key again when its key is revoked', async () => {
      expect((await service.client.delete(`/keys/${key.id}?app_id=play`)).status).toBe(200);
      await until(
        'the key is refused',
        async () => (await service.as(key.key).get('/folders')).status === 401,
      );
      await visit.linkTo('Search').click(); // the sign-in form may replace the view before it has loaded
      await page.getByLabel('API key').waitFor();
      await page.getByText('This key is invalid or was revoked').waitFor();
      const stored = await page.evaluate(() => [sessionStorage.length, localStorage.getItem('lectern.key')]);
      expect(stored).toEqual([0, null]);
      // Links to images of pages end with the key.
      const refused = /status of 401|status of 403 .*\/files\?token=/;
      expect(visit.complaints.splice(0).filter((text) => !refused.test(text))).toEqual([]);
    });
  });
