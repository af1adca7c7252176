import { openTestDatabase, revertMigration, type TestDatabase } from '../../../test/support/database.js';
import { migrate } from '../migrate.js';
import { FolderParents1700000046000 } from './1700000046000-folder-parents.js';

describe('the migration of the parents of folders', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterEach(() => database.close());

  it('fills the parents of existing folders, which follow later changes of paths', async () => {
    const { dataSource } = database;
    await revertMigration(dataSource, FolderParents1700000046000);
    await dataSource.query(`insert into apps (app_id, name) values ('acme', 'acme')`);
    await dataSource.query(
      `insert into folders (app_id, path) select 'acme', p from unnest(array['/a', '/a/b', '/a/b/ü', '/a-b']) p`,
    );
    await migrate(dataSource);
    await dataSource.query(`update folders set path = '/moved/b' where path = '/a/b'`);
    expect(await dataSource.query('select path, parent from folders order by path')).toEqual([
      { path: '/a', parent: '' },
      { path: '/a-b', parent: '' },
      { path: '/a/b/ü', parent: '/a/b' },
      { path: '/moved/b', parent: '/moved' },
    ]);
  });
});
