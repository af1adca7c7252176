import { openTestDatabase, type TestDatabase } from '../test/support/database.js';
import { MetadataOrderEntity } from './corpus/document.entity.js';

/** TypeORM's own tables. */
const ITS_OWN = ['migrations', 'typeorm_metadata'];

describe('entities', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterAll(() => database.close());

  const names = async (statement: string): Promise<string[]> =>
    (await database.dataSource.query<{ name: string }[]>(statement)).map(({ name }) => name);

  it('match the migrations: the schema builder finds no difference', async () => {
    const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('cover every table', async () => {
    const tables = await names(
      `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    );
    const described = database.dataSource.entityMetadatas.map(({ tableName }) => tableName);
    expect(tables.filter((name) => !ITS_OWN.includes(name))).toEqual([...described].sort());
  });

  // The schema builder skips tables without a primary key, so this test compares such a table.
  it('match the columns of the table without a key', async () => {
    const metadata = database.dataSource.getMetadata(MetadataOrderEntity);
    const runner = database.dataSource.createQueryRunner();
    const table = await runner.getTable(metadata.tableName).finally(() => runner.release());
    expect(
      table?.columns.map(({ name, type, isNullable, collation }) => [name, type, isNullable, collation]),
    ).toEqual(
      metadata.columns.map((column) => [
        column.databaseName,
        database.dataSource.driver.normalizeType(column),
        column.isNullable,
        column.collation,
      ]),
    );
    expect(table?.indices.map(({ name }) => name).sort()).toEqual(
      metadata.indices.map(({ name }) => name).sort(),
    );
  });

  it('leave expression indexes and triggers, which TypeORM cannot describe, to the migrations', async () => {
    expect(
      await names(
        `select indexrelid::regclass::text as name from pg_index
         where indexprs is not null and indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
         order by 1`,
      ),
    ).toEqual(['chats_identity', 'documents_filename_trigrams', 'documents_sample']);
    expect(await names('select tgname as name from pg_trigger where not tgisinternal order by 1')).toEqual([
      'audit_log_kept',
      'audit_seals_kept',
      'documents_metadata_inserted',
      'documents_metadata_updated',
    ]);
  });
});
