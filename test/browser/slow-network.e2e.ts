import type { CDPSession, Page } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { ANSWER, BEGINNING, END, LampPlayground } from './lamp-playground.js';
import { LOOKS, type Visit } from './visit.js';
import type { CompletionService } from '../support/completion-service.js';

const SLOW = { offline: false, latency: 2_000, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const FAST = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
const AWAY = { ...FAST, offline: true };

inBrowser('the playground on a slow network', () => {
  let playground: LampPlayground;
  let home: CompletionService;
  let visit: Visit;
  let page: Page;
  let network: CDPSession;
  /** Requests that change something or ask: method and path. */
  const sent: string[] = [];
  const use = (conditions: typeof SLOW) => network.send('Network.emulateNetworkConditions', conditions);
  const sentOf = (request: string) => sent.filter((one) => one === request).length;
  const listed = async (filename: string): Promise<number> => {
    const found = await home.service.client.post('/documents', { document_filters: { filename } });
    return (found.json() as { documents: unknown[] }).documents.length;
  };
  beforeAll(async () => {
    playground = await LampPlayground.open(LOOKS[0]!);
    ({ home, visit, page } = playground);
    page.setDefaultTimeout(60_000);
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
    network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
  });
  afterAll(() => playground.close());
  afterEach(() => {
    playground.expectOnlyDisconnections();
  });

  it('shows at first that it loads, not a blank page', async () => {
    await network.send('Network.setCacheDisabled', { cacheDisabled: true });
    await use(SLOW);
    await page.goto(`${home.service.url}/?slow#/documents`, { waitUntil: 'commit' });
    await page.getByText('Loading Lectern…').waitFor();
    await page.locator('.starting .skeleton').waitFor();
    await page.getByLabel('API key').waitFor();
    expect(await page.getByText('Loading Lectern…').count()).toBe(0);
    await network.send('Network.setCacheDisabled', { cacheDisabled: false });
  });

  it('signs in once after two clicks, and shows that documents load', async () => {
    await page.getByLabel('API key').fill(home.service.adminKey);
    let asked = 0;
    page.on('request', (request) => {
      if (request.method() === 'GET' && new URL(request.url()).pathname === '/folders') asked += 1;
    });
    await page.getByRole('button', { name: 'Sign in' }).dblclick();
    await page.getByText('Loading documents…').waitFor();
    await visit.pictured('slow-documents');
    await page.getByRole('link', { name: 'lamp.txt' }).waitFor();
    expect(asked).toBe(1); // the request that tries the key
  });

  it('makes a folder once after two clicks', async () => {
    await page.getByRole('button', { name: 'New folder…' }).click();
    await page.getByLabel('Path of the folder').fill('/slow');
    await page.locator('dialog[open]').getByRole('button', { name: 'Create folder' }).dblclick();
    await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: 'slow' }).waitFor();
    expect(sentOf('POST /folders')).toBe(1);
  });

  it('asks once after two presses of Enter', async () => {
    playground.behave('plain');
    await visit.open('Ask');
    await page.getByLabel('Your question').fill('When is the lamp lit?');
    await page.getByLabel('Your question').press('Enter');
    await page.getByLabel('Your question').press('Enter');
    await page.getByText(/^Searching/).waitFor();
    await visit.pictured('slow-question');
    await page.locator('.turn.assistant .turn-actions').waitFor();
    expect(sentOf('POST /query')).toBe(1);
    expect(await page.locator('.turn.user').count()).toBe(1);
  });

  it('keeps the text of an answer that broke off, says so, and asks again', async () => {
    await use(FAST);
    playground.writeAnswer();
    await page.route('**/query', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: `data: {"type":"assistant","content":"${BEGINNING}, "}\n\n`,
      }),
    );
    await playground.ask('Who lights the lamp?');
    await page.getByText('The answer broke off here.').waitFor();
    await page.locator('.turn.assistant', { hasText: BEGINNING }).waitFor();
    // The service does not have the answer that the page asks to go on with.
    expect(visit.complaints.splice(0)).toEqual([expect.stringMatching(/404 .*\/answers\//) as string]);
    await visit.seen('answer-broken');
    await page.unroute('**/query');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.turn.assistant', { hasText: END }).locator('.turn-actions').waitFor();
    await page.getByText('The answer broke off here.').waitFor({ state: 'detached' });
    expect(await page.locator('.turn.user').allInnerTexts()).toEqual(['Who lights the lamp?']);
    const stored = (await home.service.client.get(playground.chatPath)).json() as { content: string }[];
    expect(stored.map(({ content }) => content)).toEqual(['Who lights the lamp?', ANSWER]);
  });

  it('sends files on when the network is back, each once', async () => {
    await visit.open('Documents');
    await use(AWAY);
    const text = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`Of ${name}.`) });
    await page.getByLabel('Files to add').setInputFiles([text('first.txt'), text('second.txt')]);
    await page
      .getByText('The service cannot be reached. Sending continues as soon as it responds.')
      .waitFor();
    await visit.seen('uploads-offline');
    await use(FAST);
    await page.getByText('2 of 2 ready').waitFor();
    expect(await page.getByText('Sending goes on').count()).toBe(0);
    for (const name of ['first.txt', 'second.txt']) expect([name, await listed(name)]).toEqual([name, 1]);
  });
});
