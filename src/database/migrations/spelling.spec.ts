import { openTestDatabase, revertMigration, type TestDatabase } from '../../../test/support/database.js';
import { migrate } from '../migrate.js';
import { Spelling1700000041000 } from './1700000041000-spelling.js';

const APP = 'acme';
const idOf = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`;
const nfd = (text: string): string => text.normalize('NFD');

describe('the migration of the spelling of names', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
    await revertMigration(database.dataSource, Spelling1700000041000);
    await database.dataSource.query('insert into apps (app_id, name) values ($1, $1)', [APP]);
  }, 60_000);
  afterEach(() => database.close());

  const query = <T>(statement: string, values: readonly unknown[] = []): Promise<T[]> =>
    database.dataSource.query<T[]>(statement, [...values]);

  const addFolder = (number: number, path: string, access: unknown = null): Promise<unknown> =>
    query('insert into folders (app_id, folder_id, path, access) values ($1, $2, $3, $4)', [
      APP,
      idOf(number),
      path,
      access === null ? null : JSON.stringify(access),
    ]);

  const addDocument = (number: number, path: string, folder: number): Promise<unknown> =>
    query(
      `insert into documents (app_id, external_id, status, content_type, folder_path, folder_id)
       values ($1, $2, 'completed', 'text/plain', $3, $4)`,
      [APP, idOf(number), path, idOf(folder)],
    );

  const paths = (): Promise<{ path: string; id: string }[]> =>
    query('select path, folder_id as id from folders where app_id = $1 order by path', [APP]);

  it('composes file names and metadata, and keeps what was given', async () => {
    const metadata = { ort: nfd('Zürich'), [nfd('größe')]: 1, note: 'plain', list: [nfd('é')] };
    await query(
      `insert into documents (app_id, external_id, status, content_type, filename, metadata, metadata_types)
       values ($1, $2, 'completed', 'text/plain', $3, $4, $5)`,
      [
        APP,
        idOf(1),
        nfd('Übersicht.md'),
        JSON.stringify(metadata),
        JSON.stringify({ ort: 'string', [nfd('größe')]: 'number', note: 'string', list: 'array' }),
      ],
    );
    await query(
      `insert into documents (app_id, external_id, status, content_type, filename, metadata)
       values ($1, $2, 'completed', 'text/plain', 'Über.md', '{"ort": "Bern"}')`,
      [APP, idOf(2)],
    );
    await migrate(database.dataSource);
    const columns = 'filename, given_filename, metadata, given_metadata, metadata_types';
    expect(
      await query(`select ${columns} from documents where app_id = $1 order by external_id`, [APP]),
    ).toEqual([
      {
        filename: 'Übersicht.md',
        given_filename: nfd('Übersicht.md'),
        metadata: { ort: 'Zürich', größe: 1, note: 'plain', list: ['é'] },
        given_metadata: { ort: nfd('Zürich'), list: [nfd('é')] },
        metadata_types: { ort: 'string', größe: 'number', note: 'string', list: 'array' },
      },
      {
        filename: 'Über.md',
        given_filename: null,
        metadata: { ort: 'Bern' },
        given_metadata: {},
        metadata_types: {},
      },
    ]);
    expect(
      await query(`select text from metadata_order where app_id = $1 and name = 'ort' order by text`, [APP]),
    ).toEqual([{ text: 'Bern' }, { text: 'Zürich' }]);
    await revertMigration(database.dataSource, Spelling1700000041000);
    expect(
      await query('select filename from documents where app_id = $1 order by external_id', [APP]),
    ).toEqual([{ filename: nfd('Übersicht.md') }, { filename: 'Über.md' }]);
  });

  it('joins folders that differ in their spelling only, with children and documents', async () => {
    await addFolder(1, '/Büro');
    await addFolder(2, nfd('/Büro'));
    await addFolder(3, nfd('/Büro/Pläne'));
    await addFolder(4, nfd('/Café'));
    await addDocument(5, '/Büro', 1);
    await addDocument(6, nfd('/Büro'), 2);
    await addDocument(7, nfd('/Büro/Pläne'), 3);
    await addDocument(8, nfd('/Café'), 4);
    await migrate(database.dataSource);
    expect(await paths()).toEqual([
      { path: '/Büro', id: idOf(1) },
      { path: '/Büro/Pläne', id: idOf(3) },
      { path: '/Café', id: idOf(4) },
    ]);
    expect(
      await query(
        'select folder_path as path, folder_id as id from documents where app_id = $1 order by external_id',
        [APP],
      ),
    ).toEqual([
      { path: '/Büro', id: idOf(1) },
      { path: '/Büro', id: idOf(1) },
      { path: '/Büro/Pläne', id: idOf(3) },
      { path: '/Café', id: idOf(4) },
    ]);
  });

  it('keeps the vector store, the batches and the summaries of a joined folder', async () => {
    await addFolder(1, '/Büro');
    await addFolder(2, nfd('/Büro'));
    await query(`insert into vector_stores (app_id, folder_id, name) values ($1, $2, 'office')`, [
      APP,
      idOf(2),
    ]);
    await query('insert into file_batches (app_id, batch_id, folder_id) values ($1, $2, $2)', [APP, idOf(2)]);
    await query(
      `insert into folder_summaries (app_id, subject_id, version, content) values ($1, $2, 1, 'All of the office.')`,
      [APP, idOf(2)],
    );
    await migrate(database.dataSource);
    for (const [table, column] of [
      ['vector_stores', 'folder_id'],
      ['file_batches', 'folder_id'],
      ['folder_summaries', 'subject_id'],
    ]) {
      expect(await query(`select ${column} as id from ${table} where app_id = $1`, [APP])).toEqual([
        { id: idOf(1) },
      ]);
    }
  });

  it('joins three spellings of one path', async () => {
    // The letter with two marks can be decomposed in part.
    const whole = '/\u1ed9';
    await addFolder(1, '/\u1ecd\u0302');
    await addFolder(2, nfd(whole));
    await migrate(database.dataSource);
    expect((await paths()).map(({ path }) => path)).toEqual([whole]);
  });

  it('leaves folders apart that other people may read', async () => {
    await addFolder(1, '/Büro');
    await addFolder(2, nfd('/Büro'), { readers: ['user:ann'], writers: [], admins: [] });
    await addDocument(3, nfd('/Büro'), 2);
    await migrate(database.dataSource);
    expect(await paths()).toEqual([
      { path: '/Büro', id: idOf(1) },
      { path: '/Büro (2)', id: idOf(2) },
    ]);
    expect(await query('select folder_path as path from documents where app_id = $1', [APP])).toEqual([
      { path: '/Büro (2)' },
    ]);
  });
});
