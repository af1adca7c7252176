import type { Page } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { ANSWER, BEGINNING, END, LampPlayground } from './lamp-playground.js';
import { LOOKS, type Visit } from './visit.js';
import type { CompletionService } from '../support/completion-service.js';

interface Message {
  readonly content: string;
  readonly stopped?: boolean;
}

inBrowser('an answer that is not finished', () => {
  let playground: LampPlayground;
  let home: CompletionService;
  let visit: Visit;
  let page: Page;

  beforeAll(async () => {
    playground = await LampPlayground.open(LOOKS[0]!);
    ({ home, visit, page } = playground);
    await visit.signIn(home.service.adminKey);
  });
  afterAll(() => playground.close());
  beforeEach(() => {
    home.provider.forget();
  });

  /** @param key that releases the second half of the answer */
  const writing = (key: string): void => {
    playground.writeAnswer(`halfway:${key}`);
  };
  const ask = async (question: string): Promise<void> => {
    await playground.ask(question);
    await page.getByRole('heading', { name: question }).waitFor();
  };
  const answer = (text: string) => page.locator('.turn.assistant', { hasText: text });
  const tryAgain = () => page.getByRole('button', { name: 'Try again' });
  const stored = async (): Promise<readonly Message[] | number> => {
    const found = await home.service.client.get(playground.chatPath);
    return found.status === 200 ? (found.json() as Message[]) : found.status;
  };
  const questions = () => page.locator('.turn.user').allInnerTexts();
  const back = () => page.locator('.bar-chats .chat-link');

  it('is written on while another view is shown, and is in the list of chats', async () => {
    writing('away');
    await ask('Who lights the lamp?');
    await answer(BEGINNING).waitFor();
    await visit.open('Search');
    const link = back().filter({ hasText: 'Who lights the lamp?' });
    await link.getByText('An answer is being written').waitFor();
    await visit.seen('answer-elsewhere');
    await link.getByRole('link').click();
    await page.locator('.turn[aria-busy]', { hasText: BEGINNING }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await visit.open('Documents');
    home.provider.release('away');
    await link.getByText('An answer is being written').waitFor({ state: 'detached' });
    await link.getByRole('link').click();
    await answer(END).locator('.turn-actions').waitFor();
    expect(await page.getByText(/stopped|interrupted|broke off/).count()).toBe(0);
    expect(home.provider.last.aborted).toBe(false);
    expect(await stored()).toMatchObject([{ content: 'Who lights the lamp?' }, { content: ANSWER }]);
    visit.expectCalm();
  });

  it('stays when the provider breaks off and another question is asked, also after a reload', async () => {
    playground.writeAnswer('breaks');
    await ask('Who breaks off?');
    await page.getByText('The answer broke off here.').waitFor();
    writing('after');
    home.provider.release('after');
    await page.getByLabel('Your question').fill('Who goes on?');
    await page.keyboard.press('Enter');
    await answer(END).locator('.turn-actions').waitFor();
    expect(await questions()).toEqual(['Who breaks off?', 'Who goes on?']);
    await page.getByText('The answer broke off here.').waitFor();
    expect(await stored()).toMatchObject([
      { content: 'Who breaks off?' },
      { stopped: true },
      { content: 'Who goes on?' },
      { content: ANSWER },
    ]);
    await page.reload();
    await answer(END).waitFor();
    expect(await questions()).toEqual(['Who breaks off?', 'Who goes on?']);
    await back().filter({ hasText: 'Who breaks off?' }).waitFor();
    visit.complaints.splice(0);
  });

  it('stays when the service is killed and another question is asked', async () => {
    const port = new URL(home.service.url).port;
    writing('lost');
    await ask('Who is lost?');
    await answer(BEGINNING).waitFor();
    await home.service.kill9();
    await page.getByText('The connection was lost. The answer goes on').waitFor();
    await home.service.restart({ PORT: port });
    await page.getByText('The answer broke off here.').waitFor({ timeout: 30_000 });
    writing('found');
    home.provider.release('found');
    await page.getByLabel('Your question').fill('Who is found?');
    await page.keyboard.press('Enter');
    await answer(END).locator('.turn-actions').waitFor();
    expect(await questions()).toEqual(['Who is lost?', 'Who is found?']);
    await page.getByText('The answer broke off here.').waitFor();
    await visit.seen('answer-lost');
    expect(await stored()).toMatchObject([{ content: 'Who is found?' }, { content: ANSWER }]);
    visit.complaints.splice(0);
  });

  it('keeps its question when the service is killed, and an error goes when the service answers again', async () => {
    const port = new URL(home.service.url).port;
    for (const isReloaded of [false, true]) {
      writing(`killed ${String(isReloaded)}`);
      const question = `How is it lit, ${String(isReloaded)}?`;
      await ask(question);
      await answer(BEGINNING).waitFor();
      await home.service.kill9();
      await page.getByText('The connection was lost. The answer goes on').waitFor();
      expect(await questions()).toEqual([question]);
      if (!isReloaded) {
        await page.getByRole('button', { name: 'Stop' }).click();
        await page.getByText('The answer broke off here.').waitFor();
        await tryAgain().click();
        await page.getByText('The service cannot be reached.').first().waitFor();
        await page.getByText('There is no answer.').waitFor();
        await visit.seen('answer-unreachable');
      }
      await home.service.restart({ PORT: port });
      if (isReloaded) {
        await page.reload();
        await page.getByText('The answer was interrupted here.').waitFor();
        expect(await questions()).toEqual([question]);
      } else {
        await visit.open('Search');
        await visit.open('Documents');
        await page.goBack();
        await page.goBack();
        await page.getByText('There is no answer.').waitFor();
        await page.getByText('The service cannot be reached.').first().waitFor({ state: 'detached' });
      }
      expect(await stored()).toBe(404);
      home.provider.release(`killed ${String(isReloaded)}`);
      await tryAgain().click();
      await answer(END).locator('.turn-actions').waitFor();
      expect(await stored()).toMatchObject([{ content: question }, { content: ANSWER }]);
    }
    playground.expectOnlyDisconnections();
  });
});

inBrowser('a language model that does not answer', () => {
  let playground: LampPlayground;
  let home: CompletionService;
  let visit: Visit;
  let page: Page;

  beforeAll(async () => {
    playground = await LampPlayground.open(LOOKS[1]!, { LLM_TIMEOUT_MS: '3000' });
    ({ home, visit, page } = playground);
    await visit.signIn(home.service.adminKey);
  });
  afterAll(() => playground.close());

  /** Reloads the page as another tab or device has it. */
  const reloadWithoutKept = async (): Promise<void> => {
    await page.evaluate(() => {
      addEventListener('pagehide', () => {
        sessionStorage.removeItem('lectern.kept');
      });
    });
    await page.reload();
  };

  it.each([
    ['fails', 'status:500'],
    ['refuses the key', 'status:401'],
    ['closes the connection', 'dies'],
    ['is too slow', 'hangs'],
  ])('and %s leaves the closest passages, with the reason', async (_, behaviour) => {
    playground.behave(behaviour);
    await playground.ask('When is the lamp of the observatory lit?');
    const label = page.getByText('The language model did not answer. These passages are the closest.');
    await label.waitFor();
    await page.locator('.turn.assistant .chip').waitFor();
    expect(await page.locator('.answer-text').innerText()).toContain('is lit at dusk');
    expect(await page.locator('.notice.bad').count()).toBe(0);
    if (behaviour === 'status:500') await visit.seen('model-failed');
    await reloadWithoutKept();
    await label.waitFor();
    playground.behave('text:At dusk, says the model.');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.turn.assistant', { hasText: 'says the model' }).waitFor();
    await label.waitFor({ state: 'detached' });
    expect((await home.service.client.get(playground.chatPath)).json()).toHaveLength(2);
    // Chromium reports a response that is an error, not an error within a stream.
    visit.expectCalm();
  });

  it('is said without an answer if no passage fits', async () => {
    playground.behave('status:401');
    await playground.ask('Who painted the ceiling of the chapel?');
    await page.getByText('The language model did not answer.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    const lastAnswer = page.locator('.turn.assistant').last();
    expect(await lastAnswer.innerText()).not.toContain('No answer found in the documents.');
    expect(await page.getByText('These passages are the closest').count()).toBe(0);
    await reloadWithoutKept();
    await page.getByText('The language model did not answer.').waitFor();
    expect(await lastAnswer.innerText()).not.toContain('No answer found in the documents.');
    visit.expectCalm();
  });
});
