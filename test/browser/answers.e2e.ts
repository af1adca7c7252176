import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { dropFile } from './drop-file.js';
import { hold } from './hold.js';
import { USUAL_LOOKS, Visit } from './visit.js';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';
import { until } from '../support/until.js';

const REPORT = 'observatory-annual-report-2025.pdf';
const NOTES = 'lamp *notes* a_b.md';

/** Markdown as models write it; the end holds links, an image and HTML that a prompt injection may add. */
const ANSWER = `## Looking after the mirror

It was **re-aluminised** and is washed *once a year* [[1]]:

1. Measure it every month [[2]]
   - in the dark, with \`light --all\` [[3]]
2. Wash it as [the guide](https://guide.example/mirror) says

| Part | Months | Cost | Who looks after it |
| --- | --: | --: | --- |
| Main mirror [[1]] | 12 | 48,600 | Two keepers of the instruments [[2]] |
| Lamp | 6 | 12 | Volunteers | [[3]]

\`\`\`sh
light --mirror main --at midnight --compare-with the-first-measurement-after-the-last-coating
\`\`\`

![logo](https://tracker.example/p.png) <img src="https://tracker.example/q.png"> [run](javascript:alert(1))`;

for (const look of USUAL_LOOKS)
  inBrowser(`answers of a language model, ${look[0]}`, () => {
    let home: CompletionService;
    let visit: Visit;
    let page: Page;

    beforeAll(async () => {
      home = await CompletionService.start({ LLM_MODEL: 'hosted_vllm/writer', LLM_VISION: 'true' });
      const { service } = home;
      const documents = new Documents(() => service.client);
      await documents.ingestFile(REPORT, await readFile(`demo/documents/${REPORT}`), { use_colpali: 'true' });
      await documents.ingestText('The lamp of the observatory is lit at dusk.', { filename: NOTES });
      visit = await Visit.start(service.url, service.adminKey, look);
      ({ page } = visit);
      await visit.signIn(service.adminKey);
      await page.getByRole('link', { name: REPORT }).waitFor();
    });
    afterAll(async () => {
      await visit.close();
      await home.stop();
    });
    afterEach(() => {
      visit.expectCalm();
    });

    const writing = (key: string): void => {
      home.provider.alias('writer', `encoded:${encodeURIComponent(ANSWER)}|halfway:${key}|token-delay:1`);
    };
    const namesOf = (selector: string): Promise<(string | null)[]> =>
      page.locator(selector).evaluateAll((chips) => chips.map((chip) => chip.ariaLabel));

    it('render Markdown while they stream', async () => {
      writing('asked');
      await visit.open('Ask');
      await page.getByLabel('Your question').fill('How is the mirror of the observatory looked after?');
      await page.keyboard.press('Enter');
      await page.locator('.answer-text ol > li').nth(1).waitFor();
      expect(await page.locator('.answer-text h4').innerText()).toBe('Looking after the mirror');
      expect(await page.locator('.answer-text strong').innerText()).toBe('re-aluminised');
      expect(await page.locator('.answer .chip').count()).toBe(0);
      await page.getByRole('heading', { name: 'How is the mirror' }).waitFor();
      await visit.seen('answer-half-written');
      home.provider.release('asked');
    });

    it('show citations in lists and tables', async () => {
      await page.locator('.answer .chip').first().waitFor();
      const [one, two, three] = await namesOf('.answer-text p .chip, .answer-text ol .chip');
      expect(new Set([one, two, three]).size).toBeGreaterThan(1);
      expect(await namesOf('.answer-text p > .chip')).toEqual([one]);
      expect(await namesOf('.answer-text ol > li > .chip')).toEqual([two]);
      expect(await namesOf('.answer-text ol ul > li > .chip')).toEqual([three]);
      const cells = page.locator('.answer-text tbody td');
      expect(await cells.count()).toBe(8);
      expect(await namesOf('.answer-text td:first-child > .chip')).toEqual([one]);
      expect(await namesOf('.answer-text td:last-child > .chip')).toEqual([two, three]);
      expect(await page.locator('.answer-text').innerText()).not.toMatch(/\[\d|, page \d|\[\[/);
      expect(await cells.nth(1).evaluate((cell) => getComputedStyle(cell).textAlign)).toBe('right');
      await visit.seen('answer-markdown');
    });

    it('load no images, run no scripts, and open links in a new tab', async () => {
      expect(await page.locator('.answer-text img').count()).toBe(0);
      expect(await page.locator('.answer-text').innerText()).toContain(
        '<img src="https://tracker.example/q.png">',
      );
      const links = await page
        .locator('.answer-text a:not(.chip)')
        .evaluateAll((found) =>
          (found as HTMLAnchorElement[]).map(({ href, target, rel }) => [href, target, rel]),
        );
      expect(links).toEqual([['https://guide.example/mirror', '_blank', 'noopener noreferrer']]);
    });

    it('are there again after other views, and after a reload', async () => {
      await page.locator('.turn.assistant .chip').first().click();
      await page.locator('[data-mark], [data-quote]').first().waitFor();
      await page.goBack();
      await page.locator('.turn.assistant td .chip').first().waitFor();
      await visit.open('Search');
      await page.goBack();
      await page.locator('.turn.assistant td .chip').first().waitFor();
      await page.evaluate(() => {
        addEventListener('pagehide', () => {
          sessionStorage.removeItem('lectern.kept');
        }); // as in another tab
      });
      await page.reload();
      await page.locator('.turn.assistant td .chip').first().waitFor();
      expect(await page.locator('.turn.assistant ol .chip').count()).toBe(2);
    });

    const stop = () => page.getByRole('button', { name: 'Stop' });
    const aborted = async (): Promise<void> => {
      await until('the call to the model is cancelled', () => home.provider.last.aborted);
    };
    const chatId = (): string => decodeURIComponent(page.url().split('/').at(-1)!.split('?')[0]!);
    const stored = async (): Promise<{ content: string; stopped?: boolean; feedback?: object }[]> =>
      (await home.service.client.get(`/chat/${chatId()}`)).json() as never;
    const begin = async (question: string): Promise<void> => {
      await page.getByLabel('Your question').fill(question);
      await page.keyboard.press('Enter');
    };

    it('are stopped by a click or Enter, keep what was written, and say so', async () => {
      for (const way of ['click', 'Enter']) {
        await visit.open('Ask');
        writing(`stopped by ${way}`);
        home.provider.forget();
        await begin('How is the mirror looked after?');
        await page.locator('.answer-text ol > li').nth(1).waitFor();
        await page.getByLabel('Your question').press('Enter'); // ignored while an answer streams
        if (way === 'click') await stop().click();
        else await stop().press('Enter');
        await page.getByText('This answer was stopped here').waitFor();
        expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Your question');
        await aborted();
        expect(home.provider.completions.length).toBe(1);
        await page.locator('.turn.assistant .sources').waitFor(); // the service stored it
        expect(await stored()).toMatchObject([{}, { stopped: true }]);
      }
      await visit.seen('answer-stopped');
      await page.reload();
      await page.getByText('This answer was stopped here').waitFor();
    });

    it('are asked for again, in place of the stopped one', async () => {
      writing('asked'); // completes at once
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.locator('.turn.assistant td .chip').first().waitFor();
      expect(await page.getByText('This answer was stopped here').count()).toBe(0);
      expect(await stored()).toHaveLength(2);
    });

    it('show the steps of the service before the first words', async () => {
      home.provider.alias('writer', 'holds:steps');
      await begin('How much did the main mirror of the observatory cost?');
      await page.getByText(/^Searched 2 documents, reading \d+ (page|passage)s?…$/).waitFor();
      await visit.seen('answer-steps');
      home.provider.release('steps');
      await page.locator('.turn.assistant').nth(1).locator('.turn-actions').waitFor();
    });

    it('are replaced with what follows when a question is edited', async () => {
      home.provider.alias('writer', 'plain');
      await page.getByRole('button', { name: /^Edit the question: How is the mirror/ }).click();
      await page.getByLabel('Edit the question', { exact: true }).fill('Who looks after the lamp?');
      await visit.seen('question-edited');
      await page.getByRole('button', { name: 'Ask again' }).click();
      await page.locator('.turn.assistant .turn-actions').waitFor();
      expect(await page.locator('.turn.user').allInnerTexts()).toEqual(['Who looks after the lamp?']);
      expect((await stored()).map(({ content }) => content)[0]).toBe('Who looks after the lamp?');
      await page.getByRole('heading', { name: 'Who looks after the lamp?' }).waitFor();
    });

    it('are rated with a thumb and a few words', async () => {
      await page.getByRole('button', { name: 'Bad answer' }).click();
      await page.getByLabel('What is wrong with it?').fill('It is about the device.');
      await visit.seen('answer-rated');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('Thank you for the feedback').waitFor();
      expect((await stored())[1]).toMatchObject({
        feedback: { rating: 'bad', comment: 'It is about the device.' },
      });
    });

    it('lose a rating that is withdrawn before the chat is read again', async () => {
      const { held, release } = hold();
      await page.route('**/chat/*', async (route) => {
        const response = await route.fetch(); // as it was before the rating was withdrawn
        await held;
        await route.fulfill({ response });
      });
      await page.reload();
      const withdrawn = page.waitForResponse((response) => response.request().method() === 'DELETE');
      await page.getByRole('button', { name: 'Bad answer', pressed: true }).click();
      await withdrawn;
      release();
      await page.getByRole('button', { name: 'Bad answer', pressed: false }).waitFor();
      expect((await stored())[1]!.feedback).toBeUndefined();
      await page.unroute('**/chat/*');
    });

    it('keep the draft while they stream', async () => {
      await visit.open('Ask');
      writing('left');
      await begin('First?');
      await page.locator('.answer-text ol > li').nth(1).waitFor();
      await page.getByLabel('Your question').fill('Second?');
      await page.keyboard.press('Enter');
      expect(await page.getByLabel('Your question').inputValue()).toBe('Second?');
      await visit.open('Search');
      await page.goBack();
      await stop().click();
      await page.getByText('This answer was stopped here').waitFor();
      expect(await page.locator('.turn.user').allInnerTexts()).toEqual(['First?']);
      expect(await page.getByLabel('Your question').inputValue()).toBe('Second?');
      await page.locator('.turn.assistant .sources').waitFor(); // the service stored it
    });

    it('from another client appear when a chat is reopened, and a deleted chat says so', async () => {
      const { client } = home.service;
      const id = chatId();
      await visit.open('Search');
      home.provider.alias('writer', 'plain');
      const elsewhere = await client.post('/query', { query: 'Third?', chat_id: id });
      expect(elsewhere.status).toBe(200);
      await page.goBack();
      await page.locator('.turn.user', { hasText: 'Third?' }).waitFor();
      await visit.open('Search');
      expect((await client.delete(`/chats/${id}`)).status).toBe(200);
      await page.goBack();
      await page.getByText('This chat does not exist').waitFor();
      expect(await page.locator('.turn').count()).toBe(0);
      await visit.seen('chat-deleted');
      // It looked for a chat of somebody else too.
      expect(visit.complaints.splice(0).every((text) => text.includes('404'))).toBe(true);
    });

    it('to a query image show pages with links', async () => {
      writing('asked'); // completes at once
      await visit.open('Ask');
      const answer = await home.service.client.post('/documents/list_docs', {});
      const { documents } = answer.json() as { documents: { external_id: string; filename: string }[] };
      const report = documents.find(({ filename }) => filename === REPORT)!;
      const asked = { document_id: report.external_id, start_page: 2, end_page: 2 };
      const pages = (await home.service.client.post('/documents/pages', asked)).json() as { pages: string[] };
      const bytes = Buffer.from(pages.pages[0]!.split(',').at(-1)!, 'base64');
      await page.getByRole('button', { name: 'Ask with an image' }).waitFor();
      await dropFile(page, '.question', { name: 'mirror.png', type: 'image/png', bytes });
      await page.getByAltText('The question: mirror.png').waitFor();
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.locator('.turn.assistant .turn-actions').waitFor({ timeout: 60_000 });
      await page.getByRole('heading', { name: '[image]' }).waitFor();
      expect(JSON.stringify(home.provider.last.body.messages)).toContain(
        bytes.toString('base64').slice(0, 200),
      );
      await page.locator('.sources summary').click();
      await page.locator('.source img').first().waitFor();
      expect(await page.locator('.source a').first().innerText()).toBe(`${REPORT}, page 2`);
      await visit.seen('answer-to-image');
      await page.locator('.source a').first().click();
      await page.getByRole('tab', { name: 'Page', selected: true }).waitFor();
      await page.getByAltText(/^Page 2 of/).waitFor();
      await page.goBack();
      await page.locator('.answer-text .chip').first().click();
      await page.getByAltText(/^Page 2 of/).waitFor();
    });

    it('lose reasoning that the model did not mark, when they are complete', async () => {
      const reasoning = encodeURIComponent('Hm. At dusk?</think>\n');
      home.provider.alias('writer', `thinks:${reasoning}|encoded:${encodeURIComponent('At dusk [[1]].')}`);
      await page.goto(`${home.service.url}/#/ask`);
      await begin('When is the lamp lit?');
      await page.locator('.turn.assistant .turn-actions').waitFor();
      expect(await page.locator('.answer-text').innerText()).toMatch(/^At dusk/);
      await page.locator('.answer-text .chip').click();
      await page.locator('[data-quote]').first().waitFor();
    });
  });
