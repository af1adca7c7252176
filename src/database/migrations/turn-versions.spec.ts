import { randomUUID } from 'node:crypto';
import { openTestDatabase, revertMigration, type TestDatabase } from '../../../test/support/database.js';
import { migrate } from '../migrate.js';
import { TurnVersions1700000045000 } from './1700000045000-turn-versions.js';

describe('the migration of versions of turns', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterEach(() => database.close());

  it('shows the turns of the older schema, and on the way back keeps only the shown ones', async () => {
    const { dataSource } = database;
    const id = randomUUID();
    const turns = (): Promise<unknown> =>
      dataSource.query('select position, content, version from turns order by position, version');
    await dataSource.query(`insert into apps (app_id, name) values ('acme', 'acme')`);
    await revertMigration(dataSource, TurnVersions1700000045000);
    await dataSource.query(
      `insert into conversations (app_id, conversation_id, kind, chat_id) values ('acme', $1, 'chat', 'c')`,
      [id],
    );
    await dataSource.query(
      `insert into turns (app_id, conversation_id, position, role, content, bytes)
       values ('acme', $1, 0, 'user', 'q', 1), ('acme', $1, 1, 'assistant', 'a', 1)`,
      [id],
    );
    await migrate(dataSource);
    const shown = [
      { position: 0, content: 'q', version: 0 },
      { position: 1, content: 'a', version: 0 },
    ];
    expect(await turns()).toEqual(shown);

    await dataSource.query(
      `insert into turns (app_id, conversation_id, position, role, content, bytes, version)
       values ('acme', $1, 0, 'user', 'older', 5, 1)`,
      [id],
    );
    await revertMigration(dataSource, TurnVersions1700000045000);
    await migrate(dataSource);
    expect(await turns()).toEqual(shown);
  });
});
