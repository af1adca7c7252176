import type { Browser, Page } from 'playwright-core';
import { inBrowser, launchChromium } from './chromium.js';
import { BEGINNING, END, LampPlayground } from './lamp-playground.js';
import { devices, hide, show } from './visit.js';

for (const look of devices('phone'))
  inBrowser(`a chat on two devices, ${look[0]}`, () => {
    let lamp: LampPlayground;
    let page: Page;
    let second: Browser;
    /** The other device: another browser of the same person. */
    let other: Page;
    beforeAll(async () => {
      lamp = await LampPlayground.open(look);
      ({ page } = lamp);
      await lamp.visit.signIn(lamp.home.service.adminKey);
      lamp.behave(`encoded:${encodeURIComponent('At dusk. '.repeat(400))}`); // longer than a screen
      await lamp.ask('When is the lamp lit?');
      await page.locator('.turn-actions').waitFor();
      second = await launchChromium();
      other = await (await second.newContext({ locale: 'en-GB', reducedMotion: 'reduce' })).newPage();
      other.setDefaultTimeout(15_000);
      await other.goto(page.url());
      await other.getByLabel('API key').fill(lamp.home.service.adminKey);
      await other.keyboard.press('Enter');
      await other.locator('.turn-actions').waitFor();
    });
    afterAll(async () => {
      await second.close();
      await lamp.close();
    });

    const askThere = async (question: string): Promise<void> => {
      await other.getByLabel('Your question').fill(question);
      await other.keyboard.press('Enter');
    };
    const requests = async (work: () => Promise<void>): Promise<string[]> => {
      const asked: string[] = [];
      const note = (request: { url: () => string }): void => {
        asked.push(new URL(request.url()).pathname);
      };
      page.on('request', note);
      await work();
      page.off('request', note);
      return asked;
    };

    it('shows an answer of the other device as it is written, and moves for it neither the page nor a draft', async () => {
      await page.getByLabel('Your question').fill('What I am typing');
      const at = await page.evaluate(() => scrollY);
      expect(at).toBeGreaterThan(0);
      lamp.writeAnswer('halfway:there');
      await askThere('Who lights it?');
      await page.locator('.turn.user', { hasText: 'Who lights it?' }).waitFor();
      await page.locator('.answer', { hasText: BEGINNING }).waitFor();
      lamp.home.provider.release('there');
      await page.locator('.answer', { hasText: END }).locator('.turn-actions').waitFor();
      expect(await page.evaluate(() => scrollY)).toBe(at);
      expect(await page.getByLabel('Your question').inputValue()).toBe('What I am typing');
      await lamp.visit.seen('chat-from-elsewhere', { fullPage: false });
      await page.getByRole('button', { name: 'Go to the end' }).click();
      expect(await page.evaluate(() => scrollY)).toBeGreaterThan(at);
      lamp.visit.expectCalm();
    });

    it('shows an answer that was written between two looks', async () => {
      lamp.behave(`encoded:${encodeURIComponent('Nobody knows.')}`);
      await askThere('Why?');
      await page.locator('.answer', { hasText: 'Nobody knows.' }).locator('.turn-actions').waitFor();
      expect(await page.locator('.turn.user').allInnerTexts()).toEqual([
        'When is the lamp lit?',
        'Who lights it?',
        'Why?',
      ]);
    });

    it('asks for nothing while it is hidden, and looks at once when it is shown', async () => {
      await hide(page);
      await page.clock.install();
      const asked = await requests(() => page.clock.runFor(300_000));
      expect(asked).toEqual([]);
      lamp.behave(`encoded:${encodeURIComponent('By the wind.')}`);
      await askThere('How?');
      await other.locator('.answer', { hasText: 'By the wind.' }).locator('.turn-actions').waitFor();
      await show(page);
      await page.locator('.answer', { hasText: 'By the wind.' }).waitFor();
    });

    it('asks ever more seldom while nothing happens', async () => {
      const asked = await requests(async () => {
        for (let seconds = 0; seconds < 300; seconds += 4) {
          await page.clock.runFor(4_000);
          await page.waitForLoadState('networkidle');
        }
      });
      const looks = asked.filter((path) => path === '/answers').length;
      expect(looks).toBeGreaterThan(5);
      expect(looks).toBeLessThanOrEqual(12); // after 4, 12, 28 and 60 s, then every 32 s
      expect(asked.every((path) => ['/answers', '/chats'].includes(path))).toBe(true);
    });
  });
