import { openTestDatabase, revertMigration, type TestDatabase } from '../../../test/support/database.js';
import { migrate } from '../migrate.js';
import { FileOwners1700000034000 } from './1700000034000-file-owners.js';

const [APP, FILE] = ['acme', '0199f1c2-a4d8-7e0b-9c3d-5e6f7a8b9c0d'];

describe('the migration of the end users of files', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterEach(() => database.close());

  it('leaves existing files and batches without an end user, so they are shared', async () => {
    const { dataSource } = database;
    await revertMigration(dataSource, FileOwners1700000034000);
    await dataSource.query('insert into apps (app_id, name) values ($1, $1)', [APP]);
    await dataSource.query(`insert into folders (app_id, folder_id, path) values ($1, $2, '/store')`, [
      APP,
      FILE,
    ]);
    await dataSource.query(
      `insert into files (app_id, file_id, purpose, filename, content_type, bucket, object_key, bytes)
       values ($1, $2, 'assistants', 'lamp.txt', 'text/plain', 'local', 'key', 1)`,
      [APP, FILE],
    );
    await dataSource.query(`insert into file_batches (app_id, batch_id, folder_id) values ($1, $2, $2)`, [
      APP,
      FILE,
    ]);
    await migrate(dataSource);
    for (const table of ['files', 'file_batches']) {
      const rows = await dataSource.query<unknown[]>(`select end_user_id from ${table} where app_id = $1`, [
        APP,
      ]);
      expect(rows).toEqual([{ end_user_id: null }]);
    }
  });
});
