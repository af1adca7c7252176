import { openTestDatabase, revertMigration, type TestDatabase } from '../../../test/support/database.js';
import { migrate } from '../migrate.js';
import { ChatLinks1700000049800 } from './1700000049800-chat-links.js';

describe('the migration of links to chats', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterEach(() => database.close());

  it('lets earlier chats be shared, each by one link, which goes with its chat', async () => {
    const { dataSource } = database;
    await revertMigration(dataSource, ChatLinks1700000049800);
    await dataSource.query(`insert into apps (app_id, name) values ('acme', 'acme')`);
    await dataSource.query(
      `insert into conversations (app_id, kind, chat_id, title) values ('acme', 'chat', 'one', 't'), ('acme', 'chat', 'two', 't')`,
    );
    await migrate(dataSource);
    const share = (chat: string, link: string): Promise<unknown> =>
      dataSource.query(
        `insert into chat_links (app_id, conversation_id, link_id)
         select app_id, conversation_id, $2 from conversations where app_id = 'acme' and chat_id = $1`,
        [chat, link],
      );
    await share('one', 'a');
    await expect(share('one', 'b')).rejects.toThrow('chat_links_pkey');
    await expect(share('two', 'a')).rejects.toThrow('chat_links_link');
    await dataSource.query(`delete from conversations where app_id = 'acme' and chat_id = 'one'`);
    expect(await dataSource.query('select link_id from chat_links')).toEqual([]);
  });
});
