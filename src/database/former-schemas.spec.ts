import { readFile } from 'node:fs/promises';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { KEPT_STATES, keptState } from '../../test/support/kept-state.js';
import { schemaLines } from '../../test/support/schema-lines.js';
import { migrate, requireMigrated } from './migrate.js';
import { migrations } from './migrations/index.js';
import { recordedMigrations } from './recorded-migrations.js';

/** Leaves out the vector indexes, which the start of the service creates, and TypeORM's own table. */
const isOfMigrations = (line: string): boolean => !/ chunks_embedding_|\bmigrations\b/.test(line);

describe('a database of an earlier version', () => {
  let database: TestDatabase;
  let newSchema: string[];
  beforeEach(async () => {
    database = await openTestDatabase();
    newSchema = await schemaLines(database.dataSource);
  });
  afterEach(() => database.close());

  async function load(state: string): Promise<void> {
    await database.dataSource.query('drop schema public cascade');
    await database.dataSource.query('create schema public');
    await database.dataSource.query(await readFile(keptState(state), 'utf8'));
  }

  it.each(KEPT_STATES)('%s gets the schema of a new database, and keeps its rows', async (state) => {
    const { dataSource } = database;
    await load(state);
    const texts = (): Promise<unknown[]> =>
      dataSource.query(
        `select d.filename, d.metadata, t.content from documents d
         join document_texts t on t.app_id = d.app_id and t.document_id = d.external_id order by d.filename`,
      );
    const before = await texts();
    await migrate(dataSource);
    expect((await schemaLines(dataSource)).filter(isOfMigrations)).toEqual(newSchema.filter(isOfMigrations));
    expect(await recordedMigrations(dataSource)).toEqual(migrations.map(({ name }) => name));
    expect(before).toHaveLength(3);
    expect(await texts()).toEqual(before);
    const contexts = await dataSource.query<{ context: string }[]>('select context from chunks');
    for (const { context } of contexts) expect(context).toMatch(/^$|^\{"title":/);
  });

  it('with tables of before the first recorded schema is refused with the way to its documents', async () => {
    const { dataSource } = database;
    await load('2026-11-22');
    await dataSource.query('alter table chunks drop column revision cascade');
    await expect(migrate(dataSource)).rejects.toThrow(
      /^The tables in this database .* with "lectern import"$/,
    );
  });

  it('that a later version has migrated is refused and left as it is', async () => {
    const { dataSource } = database;
    const later = 'Later1999999999999';
    await dataSource.query('insert into migrations ("timestamp", name) values (1999999999999, $1)', [later]);
    const refusal =
      /^A later version of Lectern has migrated this database \(Later1999999999999\), which version \S+ cannot use: start that version/;
    await expect(migrate(dataSource)).rejects.toThrow(refusal);
    await expect(requireMigrated(dataSource)).rejects.toThrow(refusal);
    expect(await schemaLines(dataSource)).toEqual(newSchema);
  });

  it('is left as it is when one of the steps fails', async () => {
    const { dataSource } = database;
    await load('2026-11-25');
    await dataSource.query('create table audit_log (note text)'); // a later step creates a table of this name
    const before = await schemaLines(dataSource);
    const recorded = await recordedMigrations(dataSource);
    await expect(migrate(dataSource)).rejects.toThrow('relation "audit_log" already exists');
    expect(await schemaLines(dataSource)).toEqual(before);
    expect(await recordedMigrations(dataSource)).toEqual(recorded);
  });
});
