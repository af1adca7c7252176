import { randomUUID } from 'node:crypto';
import type { Client } from '../support/client.js';
import { CompletionService } from '../support/completion-service.js';
import type { SharedService } from '../support/shared-service.js';

interface Entry {
  readonly action: string;
  readonly subject: string | null;
  readonly outcome: string;
  readonly key_id: string;
  readonly person: string | null;
  readonly address: string | null;
}

const UNKNOWN = '0198c0de-0000-7000-8000-00000000abcd';

describe('the audit log records', () => {
  let home: CompletionService<SharedService>;
  let admin: Client;
  let ann: Client;
  let annsKey: string;
  beforeAll(async () => {
    home = await CompletionService.shared();
    admin = home.service.client;
    const made = await keyFor({ end_user_id: 'ann', scopes: ['read', 'query', 'write'] });
    annsKey = made.key;
    ann = home.service.as(annsKey);
  });
  afterAll(() => home.stop());

  const keyFor = async (body: object): Promise<{ id: string; key: string }> => {
    const answer = await admin.post('/keys', { name: 'k', scopes: ['read'], ...body });
    return answer.json() as { id: string; key: string };
  };
  const entries = async (): Promise<Entry[]> =>
    ((await admin.get('/audit?limit=200')).json() as { entries: Entry[] }).entries;
  /** Entries that `work` adds, oldest first. */
  const recorded = async (work: () => Promise<unknown>): Promise<string[]> => {
    const before = (await entries()).length;
    await work();
    const after = await entries();
    return after
      .slice(0, after.length - before)
      .reverse()
      .map(({ action, subject, outcome }) => `${action} [${subject ?? ''}] ${outcome}`);
  };
  const ingest = async (client: Client, content: string): Promise<string> => {
    const answer = await client.post('/ingest/text', { content, filename: `${randomUUID()}.txt` });
    const { external_id: id } = answer.json() as { external_id: string };
    await client.get(`/documents/${id}/status?wait=30`);
    return id;
  };

  it('changes and deletions of documents', async () => {
    const id = await ingest(ann, 'The lamp is lit at dusk.');
    expect(
      await recorded(async () => {
        await ann.post(`/documents/${id}/update_text`, { content: 'The lamp is lit at dawn.' });
        await ann.post(`/documents/${id}/update_metadata`, { lamp: 1 });
        await ann.get(`/documents/${id}`);
        await ann.delete(`/documents/${id}`);
        await ann.delete(`/documents/${id}`);
      }),
    ).toEqual([
      `document.update_text [${id}] done`,
      `document.update_metadata [${id}] done`,
      `document.delete [${id}] done`,
      `document.delete [${id}] refused`,
    ]);
  });

  it('what an administrator opens, changes and deletes of a person, with the person', async () => {
    const id = await ingest(ann, 'My diary.');
    const shared = await ingest(admin, 'For all.');
    expect(
      await recorded(async () => {
        await admin.get(`/documents/${id}`);
        await admin.get(`/documents/${id}/file`); // within a minute: known
        await admin.get(`/documents/${shared}`);
        await admin.call('PATCH', `/documents/${id}`, { body: { filename: 'renamed.txt' } });
        await admin.get(`/documents/${id}/download_url?expires_in=604800`);
        await admin.post('/documents/delete', { document_ids: [id, UNKNOWN] });
      }),
    ).toEqual([
      `document.read [${id} person=ann] done`,
      `document.change [${id} person=ann] done`,
      `document.link [${id} expires_in=604800 person=ann] done`,
      `documents.delete [${id} ${UNKNOWN} person=ann] done`,
    ]);
  });

  it('no reading of a document that its person lets everyone read', async () => {
    const id = await ingest(ann, 'A recipe.');
    await ann.call('PATCH', `/documents/${id}`, { body: { access_control: { readers: ['everyone'] } } });
    expect(await recorded(() => admin.get(`/documents/${id}`))).toEqual([]);
  });

  it('an administrator in the chats and conversations of a person', async () => {
    const chat = randomUUID();
    await ann.post('/query', { query: 'When is the lamp lit?', chat_id: chat });
    const conversation = (
      (await ann.post('/v1/conversations', { items: [{ role: 'user', content: 'Hi' }] })).json() as {
        id: string;
      }
    ).id;
    const at = `/v1/conversations/${conversation}`;
    expect(
      await recorded(async () => {
        await ann.get(`/chat/${chat}`);
        await admin.get(`/chat/${chat}`);
        await admin.get(`/chat/${chat}`);
        await admin.call('PATCH', `/chats/${chat}/title?title=Lamp`);
        await admin.get(`${at}/items?end_user_id=ann`);
        await admin.delete(`${at}?end_user_id=ann`);
        await ann.delete(`/chats/${chat}`);
      }),
    ).toEqual([
      `talk.read [${chat} person=ann] done`,
      `talk.change [${chat} person=ann] done`,
      `talk.read [${conversation} person=ann] done`,
      `conversation.delete [${conversation} person=ann] done`,
      `chat.delete [${chat}] done`,
    ]);
  });

  it('the use of a key that has ended, in the log of its tenant', async () => {
    const ended = await keyFor({});
    await admin.delete(`/keys/${ended.id}`);
    expect(
      await recorded(async () => {
        for (let times = 0; times < 3; times += 1) await home.service.as(ended.key).get('/folders');
      }),
    ).toEqual(['key.refused [ended key count=3] refused']);
  });

  it('people of a group, with their ids', async () => {
    const id = `g-${randomUUID()}`;
    expect(
      await recorded(async () => {
        await admin.post('/groups', { id, name: 'Keepers', members: ['ann'] });
        await admin.post(`/groups/${id}/members`, { members: ['bob'] });
        await admin.delete(`/groups/${id}/members/bob`);
        await admin.call('PATCH', `/groups/${id}`, { body: { name: 'Wardens' } });
        await admin.delete(`/groups/${id}`);
      }),
    ).toEqual([
      `group.create [${id} ann] done`,
      `group.add [${id} bob] done`,
      `group.remove [${id} bob] done`,
      `group.rename [${id}] done`,
      `group.delete [${id}] done`,
    ]);
  });

  it('people who are invited, changed and removed', async () => {
    const id = `cleo-${randomUUID()}`;
    expect(
      await recorded(async () => {
        await admin.post('/people', { people: [{ name: 'Cleo', end_user_id: id, scopes: ['read'] }] });
        await admin.call('PATCH', `/people/${id}`, { body: { scopes: ['read', 'query'], groups: [] } });
        await admin.get(`/people/${id}/export`);
        await admin.delete(`/people/${id}?chats=delete`);
      }),
    ).toEqual([
      `person.invite [${id}] done`,
      `person.change [${id} scopes=read,query groups=] done`,
      `person.export [${id}] done`,
      `person.remove [${id} documents=keep chats=delete] done`,
    ]);
  });

  it('no text, no key and no link', async () => {
    const log = JSON.stringify(await entries());
    for (const secret of [annsKey, 'diary', 'recipe', 'lit at', 'token=']) expect(log).not.toContain(secret);
  });
});
