import { openTestDatabase, revertMigration, type TestDatabase } from '../../../test/support/database.js';
import { migrate } from '../migrate.js';
import { ProviderRoles1700000049900 } from './1700000049900-provider-roles.js';

describe('the migration of the roles of people who sign in elsewhere', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterEach(() => database.close());

  it('gives each the role of their invitation, and administrators and the uninvited none', async () => {
    const { dataSource } = database;
    await revertMigration(dataSource, ProviderRoles1700000049900);
    await dataSource.query(`insert into apps (app_id, name) values ('acme', 'acme'), ('other', 'other')`);
    const id = (number: number): string => `0199f1c2-a4d8-7e0b-9c3d-5e6f7a8b9c${number}`;
    const key = (number: number, person: string, permissions: string[], day: number, app = 'acme') =>
      dataSource.query(
        `insert into api_keys (app_id, jti, name, permissions, end_user_id, created_at)
         values ($1, $2, $3, $4, $3, $5)`,
        [app, id(number), person, permissions, `2026-01-0${day}`],
      );
    const account = async (number: number, person: string, permissions: string[]): Promise<void> => {
      await key(number, person, permissions, 2);
      await dataSource.query(
        `insert into provider_accounts (app_id, subject, key_id, groups) values ('acme', $1, $2, '{}')`,
        [person, id(number)],
      );
    };
    await key(10, 'ann', ['read', 'write'], 1);
    await account(11, 'ann', ['read', 'query']);
    await key(12, 'ann', ['admin'], 3); // for a program, after the sign-in
    await account(13, 'bert', ['read', 'query']);
    await key(14, 'bert', ['write'], 1, 'other');
    await account(15, 'cleo', ['admin']);
    await migrate(dataSource);
    const rows = await dataSource.query<unknown[]>(
      `select o.subject, o.is_admin, o.role, k.permissions
       from provider_accounts o join api_keys k on k.app_id = o.app_id and k.jti = o.key_id order by 1`,
    );
    expect(rows).toEqual([
      { subject: 'ann', is_admin: false, role: ['read', 'write'], permissions: ['read', 'write'] },
      { subject: 'bert', is_admin: false, role: null, permissions: ['read', 'query'] },
      { subject: 'cleo', is_admin: true, role: null, permissions: ['admin'] },
    ]);
  });
});
