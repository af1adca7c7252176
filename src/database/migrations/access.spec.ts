import { openTestDatabase, revertMigration, type TestDatabase } from '../../../test/support/database.js';
import { migrate } from '../migrate.js';
import { Access1700000040000 } from './1700000040000-access.js';

const APP = 'acme';
const FOLDER = '0199f1c2-a4d8-7e0b-9c3d-5e6f7a8b9c0d';
const idOf = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`;

/** What the release before the migration let the keys of these people read: null is a key without a person. */
const PEOPLE = [null, 'ann', 'bert'];
const BEFORE = (person: string | null): string =>
  person === null ? 'true' : `(end_user_id is null or end_user_id = '${person}')`;
const AFTER = (person: string | null): string =>
  person === null ? 'true' : `readers && array['user:${person}', 'everyone']`;

describe('the migration of access', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterEach(() => database.close());

  it('leaves documents, files and batches readable by the same people as before', async () => {
    const { dataSource } = database;
    const readable = async (table: string, id: string, predicate: typeof BEFORE): Promise<unknown[]> => {
      const found: unknown[] = [];
      for (const person of PEOPLE) {
        found.push(
          await dataSource.query<unknown[]>(
            `select ${id} as id from ${table} where app_id = $1 and ${predicate(person)} order by 1`,
            [APP],
          ),
        );
      }
      return found;
    };
    await revertMigration(dataSource, Access1700000040000);
    await dataSource.query('insert into apps (app_id, name) values ($1, $1)', [APP]);
    await dataSource.query(`insert into folders (app_id, folder_id, path) values ($1, $2, '/store')`, [
      APP,
      FOLDER,
    ]);
    for (const [number, owner] of [null, 'ann', 'bert', 'ann'].entries()) {
      const values = [APP, idOf(number), owner];
      await dataSource.query(
        `insert into documents (app_id, external_id, status, content_type, folder_id, folder_path, end_user_id)
         values ($1, $2, 'completed', 'text/plain', '${FOLDER}', '/store', $3)`,
        values,
      );
      await dataSource.query(
        `insert into files (app_id, file_id, purpose, filename, content_type, bucket, object_key, bytes, end_user_id)
         values ($1, $2, 'assistants', 'lamp.txt', 'text/plain', 'local', 'key', 1, $3)`,
        values,
      );
      await dataSource.query(
        `insert into file_batches (app_id, batch_id, folder_id, end_user_id) values ($1, $2, '${FOLDER}', $3)`,
        values,
      );
    }
    const tables = [
      ['documents', 'external_id'],
      ['files', 'file_id'],
      ['file_batches', 'batch_id'],
    ] as const;
    const before = await Promise.all(tables.map(([table, id]) => readable(table, id, BEFORE)));
    await migrate(dataSource);
    const after = await Promise.all(tables.map(([table, id]) => readable(table, id, AFTER)));
    expect(after).toEqual(before);
    expect(before[0]?.map((rows) => (rows as unknown[]).length)).toEqual([4, 3, 2]);
    expect(await dataSource.query('select path, owner, readers, access, claims from folders')).toEqual([
      { path: '/store', owner: null, readers: ['everyone'], access: null, claims: {} },
    ]);
  });

  it.each([
    [null, null, ['everyone']],
    ['ann', null, ['user:ann']],
    [null, { readers: [], writers: [], admins: [] }, []],
    [
      'ann',
      { readers: ['group:a'], writers: ['user:bert'], admins: ['user:ann'] },
      ['group:a', 'user:ann', 'user:bert'],
    ],
    [null, { readers: ['everyone'], writers: ['everyone'], admins: [] }, ['everyone']],
  ])('computes the readers of a thing of %j with the lists %j', async (owner, lists, readers) => {
    const [row] = await database.dataSource.query<{ readers: string[] }[]>(
      'select access_readers($1, $2::jsonb) as readers',
      [owner, lists === null ? null : JSON.stringify(lists)],
    );
    expect(row?.readers).toEqual(readers);
  });
});
