import type { Page } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { ANSWER, BEGINNING, END } from './lamp-playground.js';
import { LOOKS, Visit } from './visit.js';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

interface Message {
  readonly content: string;
  readonly stopped?: boolean;
}

inBrowser('an answer that goes on without its page', () => {
  let home: CompletionService;
  let proxy: TcpProxy;
  let visit: Visit;
  let page: Page;

  beforeAll(async () => {
    home = await CompletionService.start({ LLM_MODEL: 'hosted_vllm/writer' });
    const { service } = home;
    await new Documents(() => service.client).ingestText('The lamp of the observatory is lit at dusk.', {
      filename: 'lamp.txt',
    });
    proxy = await TcpProxy.start(service.url);
    visit = await Visit.start(proxy.url.replace(/\/$/, ''), service.adminKey, LOOKS[0]!);
    ({ page } = visit);
    // Other tabs of the browser are signed in too.
    await page.getByLabel('Keep me signed in').check();
    await visit.signIn(service.adminKey);
  });
  afterAll(async () => {
    await visit.close();
    await proxy.close();
    await home.stop();
  });
  beforeEach(() => {
    home.provider.forget();
  });
  afterEach(() => {
    visit.expectCalm();
  });

  /** @param key that releases the second half of the answer */
  const writing = (key: string, part = 'halfway'): void => {
    const behaviour = [`encoded:${encodeURIComponent(ANSWER)}`, `${part}:${key}`].join('|');
    home.provider.alias('writer', behaviour);
  };
  const ask = async (question: string): Promise<void> => {
    await visit.open('Ask');
    await page.getByLabel('Your question').fill(question);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: question }).waitFor();
  };
  const answer = (text: string, on = page) => on.locator('.turn.assistant', { hasText: text });
  const isWritten = (on = page) => on.locator('.turn[aria-busy]', { hasText: BEGINNING }).waitFor();
  const isWhole = (on = page) => answer(END, on).locator('.turn-actions').waitFor();
  const stored = async (): Promise<readonly Message[]> => {
    const id = new URL(page.url()).hash.split('/').at(-1)!.split('?')[0]!;
    return (await home.service.client.get(`/chat/${id}`)).json() as Message[];
  };
  /** A new tab of the same browser. */
  const tab = async (url: string): Promise<Page> => {
    const opened = await page.context().newPage();
    opened.setDefaultTimeout(15_000);
    await opened.goto(url);
    return opened;
  };
  const expectAskedOnce = async (question: string): Promise<void> => {
    expect(await stored()).toMatchObject([{ content: question }, { content: ANSWER }]);
    expect((await stored()).map(({ stopped = false }) => stopped)).toEqual([false, false]);
    expect(home.provider.completions).toHaveLength(1);
  };

  it('is there again after a reload, and goes on', async () => {
    writing('reload');
    await ask('When is it lit?');
    await isWritten();
    await page.reload();
    await isWritten();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await visit.seen('answer-reloaded');
    home.provider.release('reload');
    await isWhole();
    expect(await page.locator('.turn.user').allInnerTexts()).toEqual(['When is it lit?']);
    await answer(END).getByText('1 source').waitFor();
    await expectAskedOnce('When is it lit?');
    await page.reload();
    await isWhole();
  });

  it('is there again after a reload before its first word', async () => {
    writing('first', 'holds');
    await ask('Where is it lit?');
    await page.getByText(/^Searched/).waitFor();
    await page.reload();
    await page.getByText(/^Searched/).waitFor();
    home.provider.release('first');
    await isWhole();
    await expectAskedOnce('Where is it lit?');
  });

  it('is there when its tab was closed', async () => {
    writing('closed');
    const first = await tab(new URL('#/ask', page.url()).href);
    await first.getByLabel('Your question').fill('Who lights it?');
    await first.keyboard.press('Enter');
    await isWritten(first);
    const { hash } = new URL(first.url());
    await first.close();
    // The list of another tab shows that it is written.
    await page.reload();
    const link = page.locator('.bar-chats .chat-link', { hasText: 'Who lights it?' });
    await link.getByText('An answer is being written').waitFor();
    home.provider.release('closed');
    await link.getByText('An answer is being written').waitFor({ state: 'detached' });
    await page.goto(new URL(hash, page.url()).href);
    await isWhole();
    await expectAskedOnce('Who lights it?');
  });

  it('goes on when the connection is cut, also for a while', async () => {
    writing('cut');
    await ask('Why is it lit?');
    await isWritten();
    await proxy.refuse();
    await page.getByText('The connection was lost. The answer goes on; trying to get it…').waitFor();
    await answer(BEGINNING).waitFor();
    await visit.seen('answer-reconnecting');
    home.provider.release('cut');
    await proxy.accept();
    await isWhole();
    expect(await page.getByText('The connection was lost').count()).toBe(0);
    expect(await page.locator('.answer-text').innerText()).toContain(ANSWER.slice(0, 60));
    await expectAskedOnce('Why is it lit?');
    // Chromium reports the requests without a connection.
    expect(visit.complaints.splice(0).filter((one) => !one.includes('net::ERR_'))).toEqual([]);
  });

  it('is followed and stopped in another tab', async () => {
    writing('tabs');
    await ask('Who follows?');
    await isWritten();
    const other = await tab(page.url());
    await isWritten(other);
    await other.getByRole('button', { name: 'Stop' }).click();
    for (const one of [page, other]) await one.getByText('This answer was stopped here.').waitFor();
    await until('the call of the model is aborted', () => home.provider.last.aborted);
    expect(await stored()).toMatchObject([{ content: 'Who follows?' }, { stopped: true }]);
    // What one of them asks next, the other shows as it comes.
    writing('next');
    await page.getByLabel('Your question').fill('And then?');
    await page.keyboard.press('Enter');
    for (const one of [page, other]) await isWritten(one);
    home.provider.release('next');
    for (const one of [page, other]) await isWhole(one);
    expect(await other.locator('.turn.user').allInnerTexts()).toEqual(['Who follows?', 'And then?']);
    await other.close();
  });

  it('is stopped before its chat is deleted, so that no chat is left', async () => {
    writing('deleted');
    await ask('Who is deleted?');
    await isWritten();
    const { hash } = new URL(page.url());
    const other = await tab(new URL('#/documents', page.url()).href);
    await other.locator('.bar-chats .chat-link', { hasText: 'Who is deleted?' }).waitFor();
    await other.close();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('This answer was stopped here.').waitFor();
    await page.locator('.conversation-head').getByLabel('Change, export, share or delete').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('heading', { name: 'What do you want to know?' }).waitFor();
    const id = hash.split('/').at(-1)!;
    await until('it is gone', async () => (await home.service.client.get(`/chat/${id}`)).status === 404);
  });
});
