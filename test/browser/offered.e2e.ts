import { inBrowser } from './chromium.js';
import { LOOKS, Visit } from './visit.js';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';

inBrowser('what the playground offers', () => {
  let service: Service;
  const keyFor = async (scopes: readonly string[]): Promise<string> => {
    const made = await service.client.post('/keys', { name: scopes.join(), scopes });
    return (made.json() as { key: string }).key;
  };
  const viewsOf = ({ page }: Visit): Promise<string[]> =>
    page.getByRole('navigation', { name: 'Views' }).getByRole('link').allInnerTexts();
  const signedIn = async (key: string): Promise<Visit> => {
    const visit = await Visit.start(service.url, key, LOOKS[0]!);
    await visit.signIn(key);
    await visit.page.getByRole('navigation', { name: 'Views' }).waitFor();
    return visit;
  };

  beforeAll(async () => {
    service = await Service.start({ DOCS: 'false' });
    await new Documents(() => service.client).ingestText('The lamp is lit at dusk.', {
      filename: 'lamp.txt',
    });
  });
  afterAll(() => service.stop());

  it('is what the key may do', async () => {
    for (const [scopes, views] of [
      [['read'], ['Documents', 'Search']],
      [['query'], ['Ask']],
      [
        ['read', 'query'],
        ['Ask', 'Documents', 'Search'],
      ],
      [['admin'], ['Ask', 'Documents', 'Search', 'Quality check', 'Feedback', 'People', 'Settings']],
    ] as const) {
      const visit = await signedIn(await keyFor(scopes));
      expect(await viewsOf(visit)).toEqual(views);
      expect(await visit.page.getByRole('link', { name: 'New chat' }).count()).toBe(
        views.includes('Ask' as never) ? 1 : 0,
      );
      await visit.page.goto(`${service.url}/#/`);
      const home = views.includes('Ask' as never) ? 'What do you want to know?' : 'Documents';
      await visit.page.getByRole('heading', { name: home }).waitFor();
      await visit.close();
    }
  });

  it('has no code, scores and settings for a colleague', async () => {
    const visit = await signedIn(await keyFor(['read', 'query']));
    const { page } = visit;
    await visit.open('Search');
    await page.getByLabel('What to search for').fill('When is the lamp lit?');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'lamp.txt' }).first().waitFor();
    expect(await page.locator('.score').count()).toBe(0);
    expect(await page.getByRole('button', { name: /as code$/ }).count()).toBe(0);
    await page.goto(`${service.url}/#/settings`);
    await page.getByText('Only administrators see the settings').waitFor();
    visit.expectCalm();
    await visit.close();
  });

  it('is what the installation has parts for: no reranker, no model that reads images, no reference', async () => {
    const visit = await signedIn(service.adminKey);
    const { page } = visit;
    expect(await page.getByRole('link', { name: 'API reference' }).count()).toBe(0);
    await visit.open('Search');
    await page.getByRole('button', { name: 'Ask with an image' }).waitFor(); // its words are read
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByLabel('Number of passages').waitFor();
    expect(await page.getByText('reranker').count()).toBe(0);
    await page.getByRole('button', { name: 'Close the options' }).click();
    const models = page.waitForResponse('**/models');
    await visit.open('Ask');
    await (await models).finished();
    await page.getByText('When is').or(page.getByLabel('Your question')).first().waitFor();
    expect(await page.getByRole('button', { name: 'Ask with an image' }).count()).toBe(0);
    await page.getByLabel('Your question').fill('How many employees does Contoso have?');
    await page.keyboard.press('Enter');
    await page.locator('.turn-actions').waitFor();
    expect(await page.locator('.sources').count()).toBe(0); // nothing was found
    visit.expectCalm();
    await visit.close();
  });
});
