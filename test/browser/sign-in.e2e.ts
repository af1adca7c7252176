import { ServiceWithProvider } from '../support/identity-provider/service-with-provider.js';
import type { TestIdentityProvider } from '../support/identity-provider/identity-provider.js';
import { Documents } from '../support/documents.js';
import type { Service } from '../support/service.js';
import { until } from '../support/until.js';
import { inBrowser } from './chromium.js';
import { LOOKS, Visit } from './visit.js';

const ADA = { name: 'Ada Lovelace', groups: ['engines'] };

inBrowser('the sign-in of the playground', () => {
  let home: ServiceWithProvider;
  let provider: TestIdentityProvider;
  let service: Service;
  const visits: Visit[] = [];

  const start = async (look = LOOKS[0]!): Promise<Visit> => {
    const visit = await Visit.start(service.url, service.adminKey, look);
    visit.page.setDefaultTimeout(60_000); // several browsers share the machine
    visits.push(visit);
    return visit;
  };
  const signIn = async ({ page }: Visit, account: string): Promise<void> => {
    await page.getByRole('link', { name: 'Sign in with Works & Co' }).click();
    await page.getByLabel('Account').fill(account);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  beforeAll(async () => {
    home = await ServiceWithProvider.start(
      { ada: ADA, eve: { name: 'Eve' } },
      {
        OIDC_NAME: 'Works & Co',
        OIDC_SCOPES: 'openid profile email offline_access',
        OIDC_RECHECK_SECONDS: '1',
      },
    );
    ({ provider, service } = home);
    for (const person of ['ada', 'bob']) {
      const key = { name: person, scopes: ['read', 'query'], end_user_id: person };
      expect((await service.client.post('/keys', key)).status).toBe(200);
    }
    const documents = new Documents(() => service.client);
    await documents.ingestText('The engine is in the hall.', {
      filename: 'engine.txt',
      access_control: { readers: ['group:engines'] },
    });
    await documents.ingestText('Everyone reads this.', { filename: 'all.txt' });
  });
  afterAll(async () => {
    for (const visit of visits) await visit.close();
    await home.stop();
  });

  it('goes to the provider and back to where the person was, and out again', async () => {
    const ada = await start();
    const { page } = ada;
    await page.getByRole('link', { name: 'Sign in with Works & Co' }).waitFor();
    await ada.seen('sign-in-provider');
    await signIn(ada, 'ada');
    await page.getByText('engine.txt').waitFor();
    expect(page.url()).toBe(`${service.url}/#/documents`);
    await page
      .getByRole('button', { name: /^Sign out/ })
      .getByText('Ada Lovelace')
      .waitFor();
    expect(
      await page.evaluate(() => [document.cookie, localStorage.length, localStorage.getItem('lectern.key')]),
    ).toEqual(['', expect.any(Number), null]);

    provider.setAccounts({ ada: { ...ADA, groups: [] } });
    await until('the group is lost', async () => {
      await page.reload();
      await page.getByText('all.txt').waitFor();
      return (await page.getByText('engine.txt').count()) === 0;
    });
    provider.setAccounts({ ada: ADA });
    await until('the group is back', async () => {
      await page.reload();
      await page.getByText('all.txt').waitFor();
      return (await page.getByText('engine.txt').count()) === 1;
    });

    await page.getByRole('link', { name: 'Devices' }).click();
    await page.getByText('this device').waitFor();
    await page.getByText('Sign in on another device as you did on this one.').waitFor();
    expect(await page.getByRole('button', { name: 'Add another device' }).count()).toBe(0);
    await ada.seen('devices');
    // The provider has no icon.
    expect(ada.complaints.filter((one) => !one.includes(provider.issuer))).toEqual([]);
    await page
      .getByRole('button', { name: /^Sign out/ })
      .first()
      .click();
    await page.waitForURL((url) => url.origin === provider.issuer);
  });

  it('lets an administrator choose what a person may do, but not the name', async () => {
    provider.setAccounts({ ada: ADA });
    const [ada, admin] = [await start(), await start()];
    await signIn(ada, 'ada');
    await ada.page.getByText('all.txt').waitFor();
    expect(await ada.page.getByLabel('Files to add').count()).toBe(0);
    await admin.signIn(service.adminKey);
    await admin.open('People');
    await admin.page.getByRole('button', { name: 'Change ada' }).click();
    const dialog = admin.page.locator('dialog[open]');
    await dialog.getByText('The identity provider decides the name.').waitFor();
    expect(await dialog.getByLabel('Name').count()).toBe(0);
    await dialog.getByLabel('May').selectOption('Ask, read and add own documents');
    await admin.seen('person-elsewhere');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await admin.page.getByRole('row', { name: /ada · Ask, read and add own documents/ }).waitFor();
    await until('she may add documents', async () => {
      await ada.page.reload();
      await ada.page.getByText('all.txt').waitFor();
      return (await ada.page.getByLabel('Files to add').count()) === 1;
    });
    await admin.page.getByRole('button', { name: 'End access of ada' }).click();
    await dialog.getByText('You can give it back later.').waitFor();
    await dialog.getByRole('button', { name: 'End access' }).click();
    await admin.page.getByRole('row', { name: /ada/ }).waitFor({ state: 'detached' });
    await admin.page.getByLabel('Who is shown').selectOption('ended');
    await admin.page.getByRole('button', { name: 'Give access back to ada' }).click();
    await admin.seen('person-restore');
    await dialog.getByRole('button', { name: 'Give access back' }).click();
    await admin.page.getByRole('row', { name: /ada/ }).waitFor({ state: 'detached' });
    await until('she is signed out', async () => {
      await ada.page.reload();
      return (await ada.page.getByText('all.txt').count()) === 0;
    });
    ada.complaints.length = 0; // the browser reports the refusals
    await signIn(ada, 'ada');
    await ada.page.getByText('all.txt').waitFor();
    admin.expectCalm();
  });

  it('names to whoever shares which groups are of the provider, and people by their address too', async () => {
    provider.setAccounts({ ada: { ...ADA, email: 'ada@works.example', email_verified: true } });
    const ada = await start();
    await signIn(ada, 'ada');
    await ada.page.getByText('engine.txt').waitFor();
    await service.client.post('/groups', { id: 'engines-2', name: 'Engines' });
    const admin = await start();
    await admin.signIn(service.adminKey);
    await admin.page.getByRole('link', { name: 'engine.txt' }).click();
    const who = admin.page.locator('details.who');
    await who.locator('summary').click();
    const group = who.getByRole('listitem').filter({ hasText: 'engines' });
    await group.getByText('Group of the identity provider').waitFor();
    await who.getByRole('searchbox').fill('engin');
    const other = who.getByRole('listitem').filter({ hasText: 'Engines' });
    await other.getByText('Group', { exact: true }).waitFor();
    await admin.seen('who-groups');
    await who.getByRole('searchbox').fill('ada');
    await who.getByRole('button', { name: 'Add as reader: ada' }).click();
    await who.getByText('Saved.').waitFor();
    const reader = who.getByRole('listitem').filter({ hasText: 'ada@works.example' });
    await reader.getByRole('button', { name: 'Take back: ada' }).click();
    await who.getByText('ada@works.example').waitFor({ state: 'detached' });
    await service.client.delete('/groups/engines-2');
    admin.expectCalm();
  });

  it('says that nobody invited the person', async () => {
    provider.setAccounts({ eve: { name: 'Eve' } });
    const eve = await start();
    await signIn(eve, 'eve');
    await eve.page.getByText('nobody has invited you to this service').waitFor();
    await eve.seen('sign-in-uninvited');
  });

  it('adds another device with a link that works once, and warns before the last one signs out', async () => {
    const keys = (await service.client.get('/keys')).json() as { id: string; end_user_id: string }[];
    const bobs = keys.find(({ end_user_id: person }) => person === 'bob');
    const { url } = (await service.client.post(`/keys/${bobs?.id}/sign_in_link`)).json() as { url: string };
    const first = await start();
    await first.page.goto(url);
    await first.page.getByRole('button', { name: 'Sign in' }).click();
    await first.linkTo('Documents').waitFor();
    const signOut = first.page.locator('.bar-end').getByRole('button', { name: /^Sign out/ });
    await signOut.click();
    await first.page.getByRole('heading', { name: 'Sign out of your last device?' }).waitFor();
    await first.seen('last-device');
    await first.page.getByRole('link', { name: 'Add another device' }).click();
    await first.page.getByRole('button', { name: 'Add another device' }).click();
    const box = first.page.getByRole('status', { name: 'Link for another device' });
    await box.getByRole('img', { name: 'QR code of the link' }).waitFor();
    await first.seen('another-device');
    const link = await box.locator('code').innerText();

    const second = await start(LOOKS[1]);
    await second.page.goto(link);
    await second.page.getByText('It opens the account of').waitFor();
    await second.page.getByRole('button', { name: 'Sign in' }).click();
    await second.linkTo('Documents').waitFor();
    second.expectCalm();
    const third = await start();
    await third.page.goto(link);
    await third.page.getByRole('button', { name: 'Sign in' }).click();
    await third.page.getByText('The sign-in link was used already').waitFor();

    await first.page.reload();
    await first.page.locator('tbody tr').nth(1).waitFor();
    await first.page.locator('tbody').getByRole('button', { name: 'Sign out' }).click();
    await until('one device is left', async () => (await first.page.locator('tbody tr').count()) === 1);
    await second.page.reload();
    await second.page.getByLabel('API key').waitFor();
    await signOut.click();
    await first.page.locator('dialog[open]').getByRole('button', { name: 'Sign out' }).click();
    await first.page.getByLabel('API key').waitFor();
    first.expectCalm();
  });
});
