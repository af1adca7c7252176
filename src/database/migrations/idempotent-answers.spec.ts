import { openTestDatabase, revertMigration, type TestDatabase } from '../../../test/support/database.js';
import { migrate } from '../migrate.js';
import { IdempotentAnswers1700000049100 } from './1700000049100-idempotent-answers.js';

describe('the migration of the answers of writes', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterEach(() => database.close());

  it('keeps the responses of earlier updates, and forgets those of other routes on the way back', async () => {
    const { dataSource } = database;
    await dataSource.query(`insert into apps (app_id, name) values ('acme', 'acme')`);
    await dataSource.query(
      `insert into idempotency_keys (app_id, key, request_hash, response)
       values ('acme', E'key\\n\\nann\\nonce', '', '"{}"'), ('acme', E'ann\\nonce', '', '{"a":1}')`,
    );
    await revertMigration(dataSource, IdempotentAnswers1700000049100);
    await migrate(dataSource);
    expect(
      await dataSource.query(
        `select key, response, status_code, running_until, documents from idempotency_keys where app_id = 'acme'`,
      ),
    ).toEqual([
      { key: 'ann\nonce', response: { a: 1 }, status_code: 200, running_until: null, documents: [] },
    ]);
  });
});
