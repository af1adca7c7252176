import { openTestDatabase, revertMigration, type TestDatabase } from '../../../test/support/database.js';
import { migrate } from '../migrate.js';
import { Initial1700000030000 } from './1700000030000-initial.js';

/** Columns, constraints, indexes, triggers and functions, each as a line. */
const SCHEMA = `
  with relations as (
    select oid, relname from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
  ), lines as (
    select format('%s.%s %s %s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
      a.attcollation::regcollation, a.attstorage, pg_get_expr(d.adbin, d.adrelid)) as line
    from relations c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    union all
    select format('%s %s', c.relname, pg_get_constraintdef(k.oid)) from relations c join pg_constraint k on k.conrelid = c.oid
    union all
    select pg_get_indexdef(i.indexrelid) from relations c join pg_index i on i.indrelid = c.oid
    union all
    select pg_get_triggerdef(t.oid) from relations c join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal
    union all
    select pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = current_schema()::regnamespace
      and not exists (select 1 from pg_depend e where e.objid = p.oid and e.deptype = 'e')
  )
  select line from lines order by 1`;

describe('the initial migration', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterEach(() => database.close());

  const schema = async (): Promise<string[]> => {
    const rows = await database.dataSource.query<{ line: string }[]>(SCHEMA);
    return rows.map(({ line }) => line);
  };

  it('creates the same schema after it was reverted', async () => {
    const { dataSource } = database;
    const before = await schema();
    expect(before.length).toBeGreaterThan(200);
    await revertMigration(dataSource, Initial1700000030000);
    expect((await schema()).filter((line) => !/^(CREATE UNIQUE INDEX )?.*migrations/.test(line))).toEqual([]);
    await migrate(dataSource);
    expect(await schema()).toEqual(before);
  });

  it('refuses a schema of which it has no record, and names the remedy', async () => {
    const { dataSource } = database;
    await dataSource.query('delete from migrations where name = $1', [Initial1700000030000.name]);
    const before = await schema();
    await expect(migrate(dataSource)).rejects.toThrow(
      /^The schema was left by an unreleased version of Lectern, and cannot be migrated: set DATABASE_URL to an empty database/,
    );
    expect(await schema()).toEqual(before);
  });
});
