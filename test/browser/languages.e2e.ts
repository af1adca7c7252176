import type { BrowserContextOptions, Page } from 'playwright-core';
import { words as arabic } from '../../web/src/language/ar.js';
import { words as german } from '../../web/src/language/de.js';
import { words as english } from '../../web/src/language/en.js';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';
import { inBrowser } from './chromium.js';
import { dropFile } from './drop-file.js';
import { END, LampPlayground } from './lamp-playground.js';
import { LOOKS, SHOTS, Visit } from './visit.js';

const [DESKTOP, PHONE] = LOOKS;
const VIEWS = [
  'ask',
  'documents',
  'search',
  'evaluation',
  'feedback',
  'people',
  'devices',
  'settings',
] as const;

/** The look with the language of the browser. */
function speaking(
  [name, options]: (typeof LOOKS)[number],
  locale: string,
): readonly [string, BrowserContextOptions] {
  return [`${name}-${locale}`, { ...options, locale }];
}

async function filesOf(page: Page): Promise<string[]> {
  const names = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  return names.flatMap((name) => /\/(en|de|fr|es|pt|zh|ja|ar)-[\w-]+\.js$/.exec(name)?.[1] ?? []);
}

const rootOf = (page: Page): Promise<readonly [string, string]> =>
  page.evaluate(() => [document.documentElement.lang, document.documentElement.dir] as const);

/** Whether to look at all languages on all devices, as the nightly run does. */
const SEES_ALL = process.env.LANGUAGES_SEEN === 'all';

for (const [words, locale, lang, dir, usual] of [
  [german, 'de-DE', 'de', 'ltr', DESKTOP!],
  [arabic, 'ar-EG', 'ar', 'rtl', PHONE!],
] as const)
  for (const look of SEES_ALL ? [DESKTOP!, PHONE!] : [usual])
    inBrowser(`the page in ${lang}, ${look[0]}`, () => {
      let home: CompletionService;
      let visit: Visit;
      let page: Page;

      beforeAll(async () => {
        home = await CompletionService.start({ LLM_MODEL: 'hosted_vllm/writer' });
        visit = await Visit.start(home.service.url, home.service.adminKey, speaking(look, locale));
        ({ page } = visit);
      });
      afterAll(async () => {
        await visit.close();
        await home.stop();
      });
      afterEach(() => {
        visit.expectCalm();
      });
      const open = async (view: (typeof VIEWS)[number]): Promise<void> => {
        await page
          .getByRole('navigation', { name: words['app.views'] })
          .locator(`a[href="#/${view}"]`)
          .click();
        await page.locator('h1').waitFor();
      };

      it('signs in', async () => {
        const key = page.getByLabel(words['signIn.key']);
        await key.waitFor();
        expect(await rootOf(page)).toEqual([lang, dir]);
        expect(await filesOf(page)).toEqual([lang]);
        await visit.seen('sign-in');
        await page.getByRole('button', { name: words['signIn.signIn'] }).click();
        await page.getByRole('alert').getByText(words['signIn.enterKey']).waitFor();
        await key.fill(home.service.adminKey);
        await page.keyboard.press('Enter');
        await page.getByText(words['ask.noDocuments']).waitFor();
        expect(await page.title()).toBe(`${words['view.documents']} · Lectern`);
      });

      it('takes a file', async () => {
        await dropFile(page, '.drop-zone', {
          name: 'lamp (2).txt',
          type: 'text/plain',
          bytes: Buffer.from('The lamp of the observatory is lit at dusk, and put out at dawn.'),
        });
        await page.locator('.upload.completed').waitFor({ timeout: 60_000 });
        await page.getByText(words['upload.step.completed']).waitFor();
        const link = page.locator('.documents .name a');
        await link.getByText('lamp (2).txt').waitFor();
        expect(await link.evaluate((one) => getComputedStyle(one).direction)).toBe('ltr');
        await page.locator('.documents').getByText(words['state.completed']).waitFor();
        await visit.seen('documents');
        await link.click();
        await page.getByText(words['document.part.passages'], { exact: true }).waitFor();
        await page.locator('details.who summary').click();
        await page.getByText(words['who.find']).waitFor();
        await visit.seen('document');
      });

      it('says what a refusal means', async () => {
        await open('documents');
        await dropFile(page, '.drop-zone', {
          name: 'data.bin',
          type: 'application/octet-stream',
          bytes: Buffer.from([0, 1, 2, 0, 255, 254, 0, 7]),
        });
        await page.locator('.upload.failed').getByText(words['notice.unknownType']).waitFor();
        visit.complaints.length = 0; // the browser reports the refusal
      });

      it('answers a question, and shows the source', async () => {
        home.provider.alias('writer', `encoded:${encodeURIComponent('It is lit at dusk [[1]].')}`);
        await open('ask');
        await visit.seen('ask');
        await page.getByLabel(words['ask.question']).fill('When is the lamp lit?');
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: words['rate.good'] }).waitFor();
        await page.locator('.sources summary').click();
        await visit.seen('answer');
        await page.locator('.answer .chip').click();
        await page.getByRole('complementary', { name: words['source.source'] }).waitFor();
        await page.locator('[data-quote]').waitFor();
        await visit.seen('source', { fullPage: false });
        await page.getByRole('link', { name: words['source.close'] }).click();
        await page.getByRole('button', { name: words['rate.good'] }).click();
        await page.getByText(words['rate.whatIsGood']).waitFor();
        await visit.seen('rating');
      });

      it('shares the chat by a link', async () => {
        await page.getByRole('button', { name: words['chatLink.share'] }).click();
        const dialog = page.getByRole('dialog', { name: words['chatLink.title'] });
        await dialog.getByRole('button', { name: words['chatLink.make'] }).click();
        const link = await dialog.locator('code').innerText();
        await visit.seen('chat-shared', { fullPage: false });
        await page.goto(link);
        await page.getByText(words['shared.ofSomebody']).waitFor();
        await page.locator('.answer .chip').waitFor();
        await visit.seen('shared-chat');
        await page.goBack();
      });

      it('invites a person', async () => {
        await open('people');
        await page.getByLabel(words['documents.name']).fill('Ann Lee');
        await page.getByRole('button', { name: words['people.makeInvitation'] }).click();
        await page.getByRole('status', { name: words['handed.label'] }).waitFor();
        await page.getByText('ann-lee').waitFor();
        await visit.seen('people');
        await page.getByRole('button', { name: words['people.end'] }).click();
        await page.getByText(words['people.endHint']).waitFor();
        await visit.seen('end-access', { fullPage: false });
      });
    });

/** The gate looks at German, the longest words, and Arabic, from right to left; the nightly run at all languages. */
const LOCALES = SEES_ALL
  ? ['en-GB', 'de-DE', 'fr-FR', 'es-ES', 'pt-BR', 'zh-CN', 'ja-JP', 'ar-EG'].map(
      (locale) => [locale, [DESKTOP!, PHONE!]] as const,
    )
  : ([
      ['de-DE', [PHONE!]],
      ['ar-EG', [DESKTOP!]],
    ] as const);

for (const [locale, looks] of LOCALES)
  inBrowser(`every view in ${locale}`, () => {
    let home: CompletionService;

    beforeAll(async () => {
      home = await CompletionService.start({ LLM_MODEL: 'hosted_vllm/writer' });
      const documents = new Documents(() => home.service.client);
      await documents.ingestText('The lamp is lit at dusk.', {
        filename: 'lamp.txt',
        folder_name: '/keepers/lamps',
      });
    });
    afterAll(() => home.stop());

    it.each(looks)('is accessible, and as wide as the window: %s', async (...look) => {
      const visit = await Visit.start(home.service.url, home.service.adminKey, speaking(look, locale));
      const { page } = visit;
      await page.locator('input[name="key"]').fill(home.service.adminKey);
      await page.keyboard.press('Enter');
      await page.locator('.documents').waitFor();
      for (const view of VIEWS) {
        await page.evaluate((hash) => {
          location.hash = hash;
        }, `#/${view}`);
        await page.locator('main h1').waitFor();
        if (view === 'search') {
          await page.locator('.question textarea').fill('When is the lamp lit?');
          await page.keyboard.press('Enter');
          await page.locator('.result').waitFor();
        }
        await page.waitForFunction(() => document.querySelector('.busy') === null);
        await visit.seen(`every-${view}`);
      }
      await page.goto(`${home.service.url}/#/ask`);
      await page.locator('.search-controls .plain-button').click();
      await page.locator('.drawer[open] .filter > summary').click();
      await page.locator('.drawer[open] .group-end button').first().click();
      await visit.seen('every-options', { fullPage: false });
      visit.expectCalm();
      await visit.close();
    });
  });

inBrowser('the language of the page', () => {
  let lamp: LampPlayground;

  beforeAll(async () => {
    lamp = await LampPlayground.open(speaking(DESKTOP!, 'nl-NL'));
  });
  afterAll(() => lamp.close());

  const choose = (name: string): Promise<string[]> =>
    lamp.page.locator('.language select').selectOption({ label: name });

  it('is English for a browser in another one, and can be chosen before signing in', async () => {
    const { page, home } = lamp;
    await page.getByLabel('API key').waitFor();
    expect(await rootOf(page)).toEqual(['en', 'ltr']);
    await choose('Français');
    await page.getByRole('button', { name: 'Se connecter' }).waitFor();
    expect(await rootOf(page)).toEqual(['fr', 'ltr']);
    await page.reload();
    await page.getByLabel('Clé d’API').fill(home.service.adminKey);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'lamp.txt' }).waitFor();
    expect(await filesOf(page)).toEqual(['fr']);
    await choose('English');
    await lamp.visit.linkTo('Ask').waitFor();
  });

  it('changes while an answer is written, which goes on', async () => {
    const { page, home } = lamp;
    lamp.writeAnswer('halfway:asked');
    await lamp.ask('When is the lamp lit?');
    await page.locator('.answer .caret').waitFor();
    await page.getByLabel('Your question').fill('And why');
    await choose('العربية');
    await page.getByRole('button', { name: arabic['action.stop'] }).waitFor();
    expect(await rootOf(page)).toEqual(['ar', 'rtl']);
    expect(await page.locator('.answer .caret').count()).toBe(1);
    expect(await page.getByLabel(arabic['ask.question']).inputValue()).toBe('And why');
    expect(await page.title()).toBe('When is the lamp lit? · Lectern');
    const { x } = (await page.locator('.app-bar').boundingBox())!;
    expect(x).toBeGreaterThan(600); // the navigation is on the right
    home.provider.release('asked');
    await page.getByText(END).waitFor();
    await page.getByRole('button', { name: arabic['rate.good'] }).waitFor();
    expect(await page.locator('.turn.user').count()).toBe(1);
    await page.screenshot({ path: `${SHOTS}/language-switched.png` });
    await choose('Deutsch');
    await page.getByRole('button', { name: german['rate.good'] }).waitFor();
    lamp.visit.expectCalm();
  });

  it('stays as it is if the chosen one cannot be loaded', async () => {
    const { page } = lamp;
    await page.route(/\/assets\/ja-/, (route) => route.abort());
    await choose('日本語');
    await page.getByText(german['app.languageFailed']).waitFor();
    expect(await rootOf(page)).toEqual(['de', 'ltr']);
    expect(await page.locator('.language select').inputValue()).toBe('de');
    await page.unroute(/\/assets\/ja-/);
    await choose('English');
    await page.getByText(english['app.darkMode']).waitFor();
    lamp.expectOnlyDisconnections();
  });
});
