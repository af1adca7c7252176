import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Locator, Page, Request } from 'playwright-core';
import { inBrowser } from './chromium.js';
import { LOOKS, Visit } from './visit.js';
import type { Client } from '../support/client.js';
import { CompletionService } from '../support/completion-service.js';
import { AUDIENCE, TestIdentityProvider } from '../support/identity-provider/identity-provider.js';
import { reservePort } from '../support/reserved-port.js';
import { until } from '../support/until.js';

const EXAMPLE = 'clients/react/example';
const REPORT = 'observatory-annual-report-2025.pdf';
const ANSWER = 'Re-aluminising the mirror is the largest item of the report [[1]]. It was done on time.';
const QUESTION = 'How much did re-aluminising the main mirror cost?';
const LINES = 120;
/** A file that the page uploads in the middle of something else. */
const HERON = { name: 'heron.txt', mimeType: 'text/plain', buffer: Buffer.from('Herons fish at dawn.') };

inBrowser('the React example', () => {
  let home: CompletionService;
  let provider: TestIdentityProvider;
  let preview: ChildProcess;
  let visit: Visit;
  let page: Page;
  let origin: string;
  /** A client of the person who is signed in. */
  let ada: Client;

  const ask = async (question: string): Promise<Locator> => {
    await page.getByLabel('Your question').fill(question);
    await page.keyboard.press('Enter');
    const exchange = page.getByRole('article').last();
    await exchange.getByRole('heading', { name: question }).waitFor();
    return exchange;
  };
  const upload = async (path: string | typeof HERON, department: string): Promise<void> => {
    await page.getByLabel('Department', { exact: true }).fill(department);
    await page.getByLabel('Files').setInputFiles(path);
    await page.getByRole('button', { name: 'Upload' }).click();
  };
  /** Documents of the service with a name. */
  const documentsNamed = async (filename: string): Promise<string[]> => {
    const answer = await ada.post('/documents', { filters: { filename }, fields: ['filename'] });
    return (answer.json() as { documents: { external_id: string }[] }).documents.map(
      (one) => one.external_id,
    );
  };
  /** Tokens that the page keeps. */
  const keptTokens = (): Promise<string[]> =>
    page.evaluate(() =>
      [sessionStorage, localStorage].flatMap((storage) =>
        Object.keys(storage).flatMap((key) => {
          const kept = JSON.parse(storage.getItem(key) ?? '') as Record<string, string | undefined>;
          return [kept['access_token'] ?? [], kept['refresh_token'] ?? []].flat();
        }),
      ),
    );
  /** Counts how often the page gets another token, and what it says about connections meanwhile. */
  const watchRenewals = async () => {
    const seen = { renewals: 0 };
    const count = (request: Request): void => {
      if (request.postData()?.includes('grant_type=refresh_token') === true) seen.renewals += 1;
    };
    page.on('request', count);
    await page.evaluate(() => {
      const said: string[] = [];
      Object.assign(globalThis, { said });
      new MutationObserver(() => {
        said.push(...(document.body.innerText.match(/Offline.*|No connection.*|sign in.*/gi) ?? []));
      }).observe(document.body, { childList: true, characterData: true, subtree: true });
    });
    return {
      renewals: () => seen.renewals,
      said: () => page.evaluate(() => (globalThis as unknown as { said: string[] }).said),
      end: () => page.off('request', count),
    };
  };
  const text = (exchange: Locator): Locator => exchange.locator('.lectern-text');
  const listed = (): Promise<string[]> =>
    page.getByRole('list', { name: 'Documents' }).getByRole('listitem').allInnerTexts();
  const writing = (held: string): void => {
    home.provider.alias('writer', `encoded:${encodeURIComponent(ANSWER)}|halfway:${held}|token-delay:1`);
  };
  interface Stored {
    readonly role: string;
    readonly content: string;
    readonly stopped?: boolean;
    readonly earlier_versions?: number;
  }
  const stored = async (): Promise<Stored[]> => {
    const [chat] = (await ada.get('/chats')).json() as { chat_id: string }[];
    return (await ada.get(`/chat/${chat?.chat_id ?? ''}`)).json() as Stored[];
  };

  beforeAll(async () => {
    const [site, api] = [await reservePort(), await reservePort()];
    origin = `http://127.0.0.1:${site.port}`;
    provider = await TestIdentityProvider.start({ ada: { name: 'Ada Lovelace', groups: [] } }, undefined, [
      `${origin}/`,
    ]);
    await promisify(execFile)('npm', ['run', 'build', '--workspace', EXAMPLE], {
      env: {
        ...process.env,
        VITE_LECTERN_URL: `http://127.0.0.1:${api.port}`,
        VITE_OIDC_ISSUER: provider.issuer,
        VITE_OIDC_CLIENT: 'frontend',
        VITE_OIDC_AUDIENCE: AUDIENCE,
      },
    });
    await Promise.all([site.release(), api.release()]);
    home = await CompletionService.start({
      PORT: api.port,
      LLM_MODEL: 'hosted_vllm/writer',
      CORS_ORIGINS: origin,
      OIDC_ISSUER: provider.issuer,
      OIDC_AUDIENCE: AUDIENCE,
      SIGN_IN_PERMISSIONS: 'read,query,write',
      OIDC_SCOPE_MAP: 'docs.read=read,docs.ask=query,docs.write=write',
    });
    preview = spawn(process.execPath, [
      'node_modules/vite/bin/vite.js',
      'preview',
      EXAMPLE,
      '--host=127.0.0.1',
      `--port=${site.port}`,
      '--strictPort',
    ]);
    await until('the page is served', () =>
      fetch(origin).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    ada = home.service.as(await provider.accessTokenOf('ada', 'docs.read docs.ask docs.write'));
    visit = await Visit.start(origin, home.service.adminKey, LOOKS[0]!);
    ({ page } = visit);
  });
  afterAll(async () => {
    await visit.close();
    preview.kill();
    await once(preview, 'close');
    await home.stop();
    await provider.stop();
  });

  it(`has no more than ${LINES} lines`, async () => {
    const lines = (await readFile(`${EXAMPLE}/src/main.tsx`, 'utf8')).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(LINES);
  });

  it('signs people in at their provider', async () => {
    await page.getByLabel('Account').fill('ada');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'My documents' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    visit.complaints.length = 0; // the provider has no icon
  });

  it('uploads a file and shows when it is ready, with the choices of its metadata', async () => {
    await upload(`demo/documents/${REPORT}`, 'astronomy');
    const uploads = page.getByRole('list', { name: 'Uploads' });
    await uploads.getByText(`${REPORT} – completed`).waitFor({ timeout: 60_000 });
    await page.getByText(`${REPORT} – completed`).nth(1).waitFor();
    await page.getByRole('checkbox', { name: 'astronomy (1)' }).waitFor();
  });

  it('shows what happens elsewhere as it happens, and filters by what is chosen', async () => {
    await ada.post('/ingest/text', {
      content: 'The boiler is lit at six.',
      filename: 'boiler.txt',
      metadata: { department: 'heating' },
    });
    await page.getByText('boiler.txt – completed').waitFor();
    const heating = page.getByRole('checkbox', { name: 'heating (1)' });
    await heating.check();
    await until('only one is listed', async () => (await listed()).length === 1);
    expect(await listed()).toEqual([expect.stringContaining('boiler.txt')]);
    await page.getByRole('checkbox', { name: 'astronomy (1)' }).waitFor(); // still there to choose
    await visit.seen('react-filtered');
    await heating.uncheck();
    await page.getByText(`${REPORT} – completed`).nth(1).waitFor();
    await page.getByRole('button', { name: 'Delete boiler.txt' }).click();
    await until('it is gone', async () => (await listed()).length === 1);
    await heating.waitFor({ state: 'detached' });
    expect(visit.complaints).toEqual([]);
  });

  it('streams an answer, whose citation shows the page with its lines marked', async () => {
    writing('first');
    const exchange = await ask(QUESTION);
    await exchange.getByText('Answering…').waitFor();
    expect(await exchange.innerText()).not.toContain('on time');
    home.provider.release('first');
    const citation = exchange.getByRole('button', { name: new RegExp(`^1, source ${REPORT}, page \\d$`) });
    await citation.click();
    const source = page.getByRole('complementary', { name: 'Source' });
    await source.getByAltText(`Image of ${REPORT}, page 2`).waitFor();
    expect(await source.locator('.lectern-mark').count()).toBeGreaterThan(0);
    const [mark, sheet] = await Promise.all(
      ['.lectern-mark', '.lectern-sheet'].map((one) => source.locator(one).first().boundingBox()),
    );
    expect((mark!.y - sheet!.y) / sheet!.height).toBeGreaterThan(0.2);
    expect((mark!.y - sheet!.y) / sheet!.height).toBeLessThan(0.5);
    await visit.seen('react-answer');
    await exchange
      .getByRole('button', { name: `${REPORT}, page` })
      .first()
      .click();
    await source.getByRole('img').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('is accessible from right to left and in the dark', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.evaluate(() => {
      document.documentElement.dir = 'rtl';
    });
    await visit.seen('react-dark-rtl');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.evaluate(() => {
      document.documentElement.dir = 'ltr';
    });
  });

  it('stops an answer here and at the service, and asks again in its place', async () => {
    writing('second');
    home.provider.forget();
    const exchange = await ask('How is the mirror looked after?');
    await text(exchange).filter({ hasText: 'Re-aluminising' }).waitFor();
    await exchange.getByRole('button', { name: 'Stop' }).click();
    await exchange.getByText('You stopped this answer here.').waitFor();
    await until('the call to the model is cancelled', () => home.provider.last.aborted);
    home.provider.release('second');
    await exchange.getByRole('button', { name: 'Ask again' }).click();
    await text(exchange).filter({ hasText: 'on time' }).waitFor();
    await exchange.getByRole('list').waitFor();
    expect(await page.getByRole('article').count()).toBe(2);
    await until('the chat has two exchanges', async () => (await stored()).length === 4);
    expect((await stored()).map(({ stopped = false }) => stopped)).toEqual([false, false, false, false]);
  });

  it('says that the service is gone in the middle of an answer, and asks again when it is back', async () => {
    writing('third');
    const exchange = await ask('Who looks after the lamp?');
    await text(exchange).filter({ hasText: 'Re-aluminising' }).waitFor();
    await home.service.kill9();
    await exchange.getByText('No connection. Trying again…').waitFor();
    expect(await exchange.innerText()).toContain('Re-aluminising');
    await page.getByText(/^Offline: /).waitFor();
    await visit.seen('react-offline');
    await home.service.restart();
    // The new process does not have the answer, and its chat does not get it.
    await exchange.getByText('The connection was lost. Check your network.').waitFor({ timeout: 60_000 });
    expect(await exchange.innerText()).toContain('Re-aluminising');
    home.provider.release('third');
    await exchange.getByRole('button', { name: 'Ask again' }).click();
    await text(exchange).filter({ hasText: 'on time' }).waitFor();
    await page.getByText(/^Offline: /).waitFor({ state: 'detached' });
    expect(await page.getByRole('article').count()).toBe(3);
    const turns = await stored();
    expect(turns.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      QUESTION,
      'How is the mirror looked after?',
      'Who looks after the lamp?',
    ]);
    expect(turns.at(-1)).toMatchObject({ content: expect.stringContaining('on time') as string });
    visit.complaints.length = 0;
  });

  it('sends files again that could not be sent while there was no connection', async () => {
    await page.context().setOffline(true);
    await upload(`demo/documents/${REPORT}`, 'astronomy');
    const failed = page.getByRole('listitem').filter({ hasText: `${REPORT} – failed` });
    await failed.getByText('The connection was lost.').waitFor();
    await visit.pictured('react-failed-upload');
    await page.context().setOffline(false);
    await failed.getByRole('button', { name: 'Send again' }).click();
    // Two uploads and two documents.
    await page.getByText(`${REPORT} – completed`).nth(3).waitFor({ timeout: 60_000 });
    visit.complaints.length = 0;
  });

  it('stores a file once although no response to it arrives until it is sent again', async () => {
    let isLost = true;
    await page.route('**/ingest/file', async (route) => {
      const response = await route.fetch(); // the service has the file
      await (isLost ? route.abort('connectionreset') : route.fulfill({ response }));
    });
    await upload(HERON, 'birds');
    const sent = page.getByRole('list', { name: 'Uploads' }).getByRole('listitem').last();
    await sent.getByText('heron.txt – failed').waitFor();
    expect(await documentsNamed('heron.txt')).toHaveLength(1);
    isLost = false;
    await sent.getByRole('button', { name: 'Send again' }).click();
    await sent.getByText('heron.txt – completed').waitFor({ timeout: 60_000 });
    const [id, ...others] = await documentsNamed('heron.txt');
    expect(others).toEqual([]);
    await page.unroute('**/ingest/file');
    await ada.delete(`/documents/${id ?? ''}`);
    visit.complaints.length = 0;
  });

  it('renews the token before it ends, while an answer is written and a file is sent', async () => {
    provider.setTokenLifetime(5);
    await page.evaluate(() => {
      // As if the page had been asleep: its token has ended.
      for (const key of Object.keys(sessionStorage)) {
        const kept = JSON.parse(sessionStorage.getItem(key) ?? '') as object;
        sessionStorage.setItem(key, JSON.stringify({ ...kept, expires_at: 1 }));
      }
    });
    await page.reload();
    await page.getByText(`${REPORT} – completed`).first().waitFor();
    const watched = await watchRenewals();
    writing('fifth');
    const exchange = await ask(QUESTION);
    await text(exchange).filter({ hasText: 'Re-aluminising' }).waitFor();
    let send: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      send = resolve;
    });
    await page.route('**/ingest/file', async (route) => {
      await held;
      await route.continue();
    });
    await upload(HERON, 'birds');
    const [report] = await documentsNamed(REPORT);
    let changes = 0;
    const changed = async (): Promise<boolean> => {
      changes += 1; // each makes the page ask for its list again
      await ada.post(`/documents/${report ?? ''}/update_metadata`, { metadata: { changes } });
      return watched.renewals() >= 2;
    };
    await until('the token is renewed twice', changed, { everyMs: 500 });
    send();
    home.provider.release('fifth');
    await text(exchange).filter({ hasText: 'on time' }).waitFor();
    const sent = page.getByRole('list', { name: 'Uploads' }).getByRole('listitem').last();
    await sent.getByText('heron.txt – completed').waitFor({ timeout: 60_000 });
    expect(await watched.said()).toEqual([]);
    expect(visit.complaints).toEqual([]); // no request was refused
    watched.end();
    await page.unroute('**/ingest/file');
  });

  it('renews a token that the service refuses in the middle of an answer, unseen', async () => {
    await page.evaluate(() => {
      const now = Date.now;
      Date.now = () => now() - 3_600_000; // a clock that is slow does not see that the token ends
    });
    const watched = await watchRenewals();
    const [token = ''] = await keptTokens();
    writing('sixth');
    const exchange = await ask('Who paid for the mirror?');
    await text(exchange).filter({ hasText: 'Re-aluminising' }).waitFor();
    await until('the token is renewed', () => watched.renewals() > 0);
    expect((await home.service.as(token).get('/folders')).status).toBe(401);
    home.provider.release('sixth');
    await text(exchange).filter({ hasText: 'on time' }).waitFor();
    expect(await watched.said()).toEqual([]);
    expect((await stored()).at(-1)).toMatchObject({ content: expect.stringContaining('on time') as string });
    watched.end();
    visit.complaints.length = 0; // the browser reports the 401
  });

  it('signs people out here and at their provider', async () => {
    provider.setTokenLifetime(3_600);
    const [, refresh = ''] = await keptTokens();
    expect(refresh).not.toBe('');
    const file = await page.locator('link[rel="stylesheet"]').first().getAttribute('href');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.getByLabel('Account').waitFor(); // the page sends people without a token to the provider
    await page.goto(`${origin}${file ?? ''}`); // of the same storage
    expect(await keptTokens()).toEqual([]);
    const refused = await page.evaluate(
      async (url) => (await fetch(`${url}/folders`)).status,
      home.service.url,
    );
    expect(refused).toBe(401);
    const renewal = await fetch(new URL('/token', provider.issuer), {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'frontend',
        refresh_token: refresh,
      }),
    });
    expect([renewal.status, await renewal.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
  });

  it('has no key', () => {
    expect(visit.foreign).not.toContain('a URL with the key');
  });
});
