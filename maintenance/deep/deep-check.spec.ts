import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import type { Tools } from './check.js';
import { INDEX_CHECKS } from './indexes.js';
import { REFERENCES } from './references.js';

describe('the deep check', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterAll(() => database.close());

  it('covers every reference between rows of a tenant', () => {
    const declared = database.dataSource.entityMetadatas.flatMap(({ tableName, foreignKeys }) =>
      foreignKeys
        .filter(({ referencedEntityMetadata: to }) => to.tableName !== 'apps')
        .map(({ columns, referencedEntityMetadata: to }) => {
          const column = columns.map(({ databaseName }) => databaseName).find((name) => name !== 'app_id');
          return `${tableName}.${column ?? ''} -> ${to.tableName}`;
        }),
    );
    const checked = REFERENCES.map(({ table, column, to }) => `${table}.${column} -> ${to}`);
    // A cluster stores jobs and documents on different nodes, so jobs have their own check.
    expect([...checked, 'ingestion_jobs.document_id -> documents'].sort()).toEqual(declared.sort());
  });

  it('creates each missing index as the migrations define it', async () => {
    const { dataSource } = database;
    const indexes = (): Promise<{ name: string; definition: string }[]> =>
      dataSource.query(
        `select indexname as name, indexdef as definition from pg_indexes
         where schemaname = current_schema() and indexname not like '%_trigrams'
           and indexname not in (select conname from pg_constraint) order by 1`,
      );
    const before = await indexes();
    expect(before.length).toBeGreaterThan(25);
    for (const { name } of before.filter(({ name: one }) => one !== 'migrations_pkey')) {
      await dataSource.query(`drop index "${name}"`);
    }
    const tools = { dataSource } as Tools;
    const missing = INDEX_CHECKS.find(({ name }) => name === 'missing indexes');
    expect(await missing?.look(tools, '')).toMatchObject({ count: before.length });
    await missing?.repair(tools, '');
    expect(await indexes()).toEqual(before);
    expect(await missing?.look(tools, '')).toEqual({ count: 0, examples: [] });
  });
});
