import { readFile } from 'node:fs/promises';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';
import { inBrowser } from './chromium.js';
import { LOOKS, Visit } from './visit.js';

const GROUPS = 12;
const PEOPLE = 300;

inBrowser('three hundred people', () => {
  let service: Service;
  let admin: Visit;
  beforeAll(async () => {
    service = await Service.start();
    for (let group = 0; group < GROUPS; group += 1) {
      await service.client.post('/groups', { id: `team-${group}`, name: `Team ${group}` });
    }
    for (let start = 0; start < PEOPLE; start += 100) {
      const people = Array.from({ length: 100 }, (_, index) => ({
        name: `Person ${String(start + index).padStart(3, '0')}`,
        end_user_id: `person-${start + index}`,
        scopes: (start + index) % 100 === 0 ? ['admin'] : ['read', 'query'],
        groups: [`team-${(start + index) % GROUPS}`],
      }));
      expect((await service.client.post('/people', { people })).status).toBe(200);
    }
    admin = await Visit.start(service.url, service.adminKey, LOOKS[0]!);
    admin.page.setDefaultTimeout(60_000);
    await admin.signIn(service.adminKey);
    await admin.open('People');
  });
  afterAll(async () => {
    await admin.close();
    await service.stop();
  });

  const rows = () => admin.page.locator('table.people tbody tr');
  const find = async (text: string, count: number): Promise<void> => {
    await admin.page.getByRole('searchbox', { name: 'Find a person' }).fill(text);
    await admin.page.waitForFunction(
      (wanted) => document.querySelectorAll('table.people tbody tr').length === wanted,
      count,
    );
  };
  const dialog = () => admin.page.locator('dialog[open]');

  it('are listed fifty at a time, found by name, and filtered by group and by what they may do', async () => {
    const { page } = admin;
    await page.getByText('50 of 300').waitFor();
    const groups = page.getByLabel('Group', { exact: true }).first().locator('option');
    await groups.nth(GROUPS).waitFor({ state: 'attached' });
    expect((await groups.allInnerTexts()).slice(1)).toEqual(
      Array.from({ length: GROUPS }, (_, group) => `Team ${group}`),
    );
    await admin.seen('people-300');
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('100 of 300').waitFor();
    await find('person 17', 11); // person-17 is the id of Person 017
    await find('', 50);
    await page.getByLabel('Group', { exact: true }).first().selectOption('Team 3');
    await find('', 25);
    await page.getByLabel('Who is shown').selectOption('Administrators');
    await page.getByText('Nobody matches').waitFor();
    await page.getByLabel('Group', { exact: true }).first().selectOption('All groups');
    await find('', 3);
    await page.getByLabel('Who is shown').selectOption('Everybody');
    admin.expectCalm();
  });

  it('get another role and another group', async () => {
    const { page } = admin;
    await find('person-41', 1);
    await page.getByRole('button', { name: 'Change Person 041' }).click();
    await dialog().getByLabel('Name').fill('Ann Lee');
    await dialog().getByLabel('May').selectOption('Ask, read and add own documents');
    await dialog().getByRole('checkbox', { name: 'Team 5' }).uncheck();
    await dialog().getByRole('checkbox', { name: 'Team 6' }).check();
    await admin.seen('people-change');
    await dialog().getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row', { name: /Ann Lee/ });
    await row.getByText('Ask, read and add own documents').waitFor();
    await row.getByText('Team 6').waitFor();
    expect((await service.client.get('/people/person-41')).json()).toMatchObject({
      name: 'Ann Lee',
      scopes: ['read', 'query', 'write'],
      groups: ['team-6'],
    });
    admin.expectCalm();
  });

  it('are invited together from a pasted list, with links to save', async () => {
    const { page } = admin;
    await page.getByRole('button', { name: 'Invite many…' }).click();
    await dialog()
      .getByLabel(/One person a line/)
      .fill('Cleo Fay\nDan Oak; dan\nPerson 7; person-7\n; nobody\n');
    const preview = dialog().getByRole('list', { name: 'Who would be invited' });
    await dialog().getByText('Would be invited: 2 · Left out: 2').waitFor();
    await preview.locator('li', { hasText: 'person-7' }).getByText('Has access already').waitFor();
    await preview.locator('li', { hasText: 'nobody' }).getByText('No name').waitFor();
    await dialog()
      .getByLabel(/^Group/)
      .selectOption('Team 2');
    await preview.locator('li', { hasText: 'cleo-fay' }).getByText('Ask and read · Team 2').waitFor();
    await admin.seen('people-preview');
    await dialog().getByRole('button', { name: 'Make invitations (2)' }).click();
    await page.getByText('Invitations made: 2. The links are shown only once.').waitFor();
    await admin.seen('people-invited');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the links as a table' }).click();
    const lines = (await readFile(await (await saving).path(), 'utf8')).trim().split('\r\n');
    expect(lines).toEqual([
      '"Name","Identifier","Link"',
      expect.stringMatching(/^"Cleo Fay","cleo-fay","http.*#\/sign-in\/.*"$/),
      expect.stringMatching(/^"Dan Oak","dan","http.*#\/sign-in\/.*"$/),
    ]);
    await find('dan', 1);
    admin.expectCalm();
  });

  it('leave, and hand their documents over', async () => {
    const { page } = admin;
    const made = await service.client.post('/keys', {
      name: 'Ann Lee',
      scopes: ['read', 'write'],
      end_user_id: 'person-41',
    });
    const ann = service.as((made.json() as { key: string }).key);
    const { external_id: document } = await new Documents(() => ann).ingestText('A note.', {});
    await page.reload();
    await find('ann lee', 1);
    await page.getByRole('button', { name: 'End access of Ann Lee' }).click();
    const saved = page.waitForEvent('download');
    await dialog().getByRole('button', { name: 'Download what is stored of this person' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe('person-41.jsonl');
    expect(await readFile(await file.path(), 'utf8')).toContain('"type":"person"');
    await dialog().getByText('(documents: 1)').waitFor();
    await dialog().getByLabel('Hand them over to').check();
    await dialog().getByRole('searchbox').fill('person 042');
    await dialog()
      .getByRole('radio', { name: /Person 042/ })
      .check();
    await admin.seen('people-leaving');
    await dialog().getByRole('button', { name: 'End access' }).click();
    await page.getByText('Nobody matches').waitFor();
    expect((await service.client.get(`/documents/${document}`)).json()).toMatchObject({
      end_user_id: 'person-42',
    });
    await page.getByLabel('Who is shown').selectOption('Access ended');
    await find('ann lee', 1);
    expect(await rows().getByRole('button').count()).toBe(0); // nothing is left to decide
    admin.expectCalm();
  });

  it('have groups that are made, renamed, filled and deleted', async () => {
    const { page } = admin;
    await page.getByRole('button', { name: 'New group…' }).click();
    await dialog().getByLabel('Name').fill('team 3 ');
    await dialog().getByRole('alert').getByText('A group with this name exists.').waitFor();
    expect(await dialog().getByRole('button', { name: 'Make a group' }).isDisabled()).toBe(true);
    await admin.seen('group-taken');
    await dialog().getByLabel('Name').fill('Harbour');
    await dialog().getByRole('button', { name: 'Make a group' }).click();
    await page.getByRole('button', { name: 'Change Harbour' }).click();
    await dialog().getByLabel('Name').fill('Team 4');
    await dialog().getByRole('alert').getByText('A group with this name exists.').waitFor();
    expect(await dialog().getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog().getByLabel('Name').fill('Harbour office');
    for (const person of ['Person 050', 'Person 051']) {
      await dialog().getByRole('searchbox', { name: 'Find a person to add' }).fill(person);
      await dialog().getByRole('checkbox', { name: person }).check();
    }
    await admin.seen('group-change');
    await dialog().getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'Harbour office' });
    await row.getByText('Members: 2').waitFor();
    await page.getByRole('button', { name: 'Change Harbour office' }).click();
    await dialog().getByRole('checkbox', { name: 'Person 050' }).uncheck();
    await dialog().getByRole('button', { name: 'Save' }).click();
    await row.getByText('Members: 1').waitFor();
    expect((await service.client.get('/groups/harbour')).json()).toMatchObject({
      name: 'Harbour office',
      members: ['person-51'],
    });
    await page.getByLabel('Who is shown').selectOption('Everybody');
    await page.setViewportSize({ width: 390, height: 844 });
    await find('person 05', 10);
    await admin.seen('people-phone');
    await page.getByRole('button', { name: 'Change Harbour office' }).scrollIntoViewIfNeeded();
    await admin.seen('groups-phone');
    await page.getByRole('button', { name: 'Delete the group Harbour office?' }).click();
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
    await page
      .getByRole('button', { name: 'Delete the group Harbour office?' })
      .waitFor({ state: 'detached' });
    expect((await service.client.get('/groups/harbour')).status).toBe(404);
    admin.expectCalm();
  });
});
