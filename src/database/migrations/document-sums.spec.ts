import { openTestDatabase, revertMigration, type TestDatabase } from '../../../test/support/database.js';
import { migrate } from '../migrate.js';
import { DocumentSums1700000049000 } from './1700000049000-document-sums.js';

const id = (number: number): string => `0199f1c2-a4d8-7e0b-9c3d-5e6f7a8b9c0${number}`;

describe('the migration of the checksums of documents', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterEach(() => database.close());

  it('takes the checksum of the file that a document was made of, and none for a text changed since', async () => {
    const { dataSource } = database;
    await revertMigration(dataSource, DocumentSums1700000049000);
    await dataSource.query(`insert into apps (app_id, name) values ('acme', 'acme')`);
    const files = [
      { key: 'first', sha256: 'aa' },
      { key: 'second', sha256: 'bb' },
    ];
    const documents = [
      [id(1), files, { source: { kind: 'file', key: 'second' }, update: null }],
      [id(2), files, null],
      [id(3), [], { source: { kind: 'posted' }, update: null }],
      [id(4), [{ key: 'old' }], { source: { kind: 'file', key: 'old' }, update: null }],
    ] as const;
    for (const [documentId, stored, from] of documents) {
      await dataSource.query(
        `insert into documents (app_id, external_id, status, content_type, storage_files, ingested_from)
         values ('acme', $1, 'completed', 'text/plain', $2, $3)`,
        [documentId, JSON.stringify(stored), from === null ? null : JSON.stringify(from)],
      );
    }
    await migrate(dataSource);
    expect(
      await dataSource.query(
        `select external_id, source_sha256 from documents where app_id = 'acme' order by external_id`,
      ),
    ).toEqual([
      { external_id: id(1), source_sha256: 'bb' },
      { external_id: id(2), source_sha256: null },
      { external_id: id(3), source_sha256: null },
      { external_id: id(4), source_sha256: null },
    ]);
  });
});
