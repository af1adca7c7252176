import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { ApiKeyEntity } from '../api-key.entity.js';
import { AppEntity } from '../app.entity.js';
import { KeyRepository } from '../key.repository.js';
import { PeopleRepository } from './people.repository.js';
import { ProviderAccountEntity } from './provider-account.entity.js';

const PERSON = 'ada@works.example';
const of = (subject: string) => ({ appId: 'acme', subject, person: PERSON });

describe('what is known of people who sign in elsewhere', () => {
  let database: TestDatabase;
  let people: PeopleRepository;
  let keys: KeyRepository;

  beforeEach(async () => {
    database = await openTestDatabase();
    const { dataSource } = database;
    keys = new KeyRepository(dataSource.getRepository(ApiKeyEntity));
    people = new PeopleRepository(dataSource, keys);
    await dataSource.getRepository(AppEntity).insert({ appId: 'acme', name: 'acme' });
  }, 60_000);
  afterEach(() => database.close());

  const signIn = (subject: string): Promise<string> =>
    people.alone('acme', (manager) =>
      people.addAccount(
        { ...of(subject), name: 'Ada', detail: null, groups: [], isAdmin: false },
        { role: null, permissions: ['read'] },
        manager,
      ),
    );
  const known = (subject: string) => people.keysOf(of(subject), database.dataSource.manager);

  it('tells another account of the same provider by its working key', async () => {
    await signIn('https://idp.example one');
    expect(await known('https://idp.example one')).toMatchObject({ any: true, isOfAnother: false });
    expect(await known('https://idp.example two')).toMatchObject({ any: true, isOfAnother: true });
    expect(await people.memberOf(of('https://idp.example two'))).toMatchObject({ isOfAnother: true });
    expect(await known('proxy two')).toMatchObject({ any: true, isOfAnother: false });
    await keys.revokeOf('acme', PERSON, database.dataSource.manager);
    expect(await known('https://idp.example two')).toMatchObject({ any: false, isOfAnother: false });
  });

  it('remembers an end of access when the account is forgotten, as after a restore', async () => {
    const { dataSource } = database;
    await signIn('https://idp.example one');
    await keys.revokeOf('acme', PERSON, dataSource.manager);
    await dataSource.getRepository(ProviderAccountEntity).clear();
    expect(await known('https://idp.example one')).toMatchObject({ isEnded: true });
    expect(await people.memberOf(of('https://idp.example one'))).toMatchObject({ isEnded: true });
    await signIn('proxy one');
    expect(await known('https://idp.example one')).toMatchObject({ isEnded: false, any: true });
  });
});
