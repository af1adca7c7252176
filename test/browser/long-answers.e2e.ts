import type { Page } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { devices, Visit } from './visit.js';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';

const PARAGRAPH = 'The keeper of the lamp writes down when it is lit, and for how long it burns. ';
const FORMULAS = String.raw`The brightness is \(a^2\) and falls with the distance:

\[
\frac{L}{4 \pi r^2}
\]

It costs $5 to $10. This one is broken: \(\frac{1\)

`;
const CODE = '```python\ndef light(lamp):\n    return "lit"\n```\n\n';
const ARABIC =
  '1. يُضاء المصباح عند الغروب\n2. يُطفأ عند الفجر\n\n| المصباح | الوقت |\n| --- | --- |\n| الأول | مساء |\n\n';
const WIDE = `| ${Array.from({ length: 14 }, (_, at) => `Column ${at}`).join(' | ')} |\n|${' --- |'.repeat(14)}\n|${' a long value |'.repeat(14)}\n\n`;
const ANSWER = `${FORMULAS}${CODE}${ARABIC}${WIDE}${`${PARAGRAPH.repeat(4)}\n\n`.repeat(12)}The end.`;

for (const look of devices('desktop'))
  inBrowser(`long answers, ${look[0]}`, () => {
    let home: CompletionService;
    let visit: Visit;
    let page: Page;

    beforeAll(async () => {
      home = await CompletionService.start({ LLM_MODEL: 'hosted_vllm/writer' });
      const { service } = home;
      await new Documents(() => service.client).ingestText('The lamp is lit at dusk.', {
        filename: 'lamp.txt',
      });
      visit = await Visit.start(service.url, service.adminKey, look);
      ({ page } = visit);
      await visit.signIn(service.adminKey);
      await page.getByRole('link', { name: 'lamp.txt' }).waitFor();
      await visit.open('Ask');
    });
    afterAll(async () => {
      await visit.close();
      await home.stop();
    });
    afterEach(() => {
      visit.expectCalm();
    });

    const ask = async (question: string): Promise<void> => {
      await page.getByLabel('Your question').fill(question);
      await page.keyboard.press('Enter');
    };
    const writing = (key: string): void => {
      home.provider.alias('writer', `encoded:${encodeURIComponent(ANSWER)}|halfway:${key}|token-delay:1`);
    };
    const below = (): Promise<number> =>
      page.evaluate(() => {
        const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
        return Math.round(scrollHeight - clientHeight - scrollTop);
      });
    const toEnd = () => page.getByRole('button', { name: 'Go to the end' });

    it('load nothing for formulas and code before some appear', async () => {
      const loaded = await page.evaluate(() =>
        performance.getEntriesByType('resource').map(({ name }) => name),
      );
      expect(loaded.filter((name) => /katex|colours/i.test(name))).toEqual([]);
      const encoded = await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
      );
      expect(encoded.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000); // scripts, styles, font, data
    });

    it('are followed while the reader is at the end, and stay where the reader scrolls', async () => {
      writing('scrolled');
      await ask('When is the lamp lit?');
      await page.getByText('writes down').first().waitFor();
      await page.locator('.caret').waitFor();
      await page.waitForFunction(() => document.documentElement.scrollTop > 0);
      expect(await toEnd().count()).toBe(0);
      await page.evaluate(() => {
        scrollTo(0, 40);
      });
      await toEnd().waitFor();
      home.provider.release('scrolled');
      await page.locator('.turn-actions').first().waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollTop)).toBe(40);
      await visit.seen('long-answer');
      await visit.pictured('long-answer-top', { fullPage: false });
      await toEnd().click();
      await toEnd().waitFor({ state: 'detached' });
      expect(await below()).toBeLessThan(5);
      // The sources and the actions stand above the question field.
      const actions = await page.locator('.turn-actions').last().boundingBox();
      const composer = await page.locator('.composer').boundingBox();
      expect(actions!.y + actions!.height).toBeLessThanOrEqual(composer!.y + 1);
    });

    it('end above the question field for a reader who follows them', async () => {
      home.provider.alias('writer', 'plain');
      await ask('And when is it put out?');
      await page.locator('.turn-actions').nth(1).waitFor();
      await page.locator('.caret').waitFor({ state: 'detached' });
      expect(await below()).toBeLessThan(5);
    });

    it('show formulas, and the source of one that cannot be read', async () => {
      await page.locator('.formula .katex').nth(1).waitFor();
      expect(await page.locator('.formula .katex').count()).toBe(2);
      expect(await page.locator('.formula.block .katex-display').count()).toBe(1);
      expect(await page.locator('.formula').nth(2).innerText()).toBe('\\frac{1');
      expect(await page.getByText('It costs $5 to $10.').count()).toBe(1);
    });

    it('show code in colours, to be copied', async () => {
      await page.locator('.hljs-keyword', { hasText: 'def' }).waitFor();
      await page.locator('.hljs-string', { hasText: '"lit"' }).waitFor();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy the code' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
        'def light(lamp):\n    return "lit"\n',
      );
    });

    it('show lists and tables from right to left', async () => {
      const directions = await page
        .locator('.answer-text ol, .answer-text table')
        .evaluateAll((found) => found.map((one) => getComputedStyle(one).direction));
      expect(directions).toEqual(['rtl', 'rtl', 'ltr']);
      const [scrolls] = await page
        .locator('.answer-table')
        .evaluateAll((found) => found.slice(1).map((one) => one.scrollWidth > one.clientWidth));
      expect(scrolls).toBe(true);
    });

    it('say what the page waits for, and that an answer is empty', async () => {
      await page.evaluate(() => {
        location.hash = '#/ask';
      });
      await page.getByRole('heading', { name: 'What do you want to know?' }).waitFor();
      await page.clock.install();
      home.provider.alias('writer', 'encoded:|holds:silent');
      await ask('Who lights the lamp?');
      await page.getByText(/^Searched /).waitFor();
      await page.clock.runFor(16_000);
      await page.getByText('The language model has not begun to answer yet').waitFor();
      home.provider.release('silent');
      await page.getByText('The language model returned an empty answer').waitFor();
    });
  });
