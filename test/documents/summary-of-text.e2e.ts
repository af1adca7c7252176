import type { Answer, Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

const SUMMARY = 'Layoffs of Bob in May.';

describe.each([1, 3])('a summary of a document (%d shards)', (parts) => {
  let service: SharedService;
  let client: Client;
  let documents: Documents;
  beforeAll(async () => {
    service = await SharedService.enter();
    client = service.as(await service.newTenant({ parts }));
    documents = new Documents(() => client);
  });
  afterAll(() => service.stop());

  const form = (text: string, more: Record<string, string>): FormData => {
    const made = new FormData();
    made.append('file', new Blob([text]), 'note.txt');
    for (const [key, value] of Object.entries(more)) made.append(key, value);
    return made;
  };
  const path = (id: string): string => `/documents/${id}/summary`;
  const summarised = async (text: string): Promise<string> => {
    const { external_id: id } = await documents.ingestFile('note.txt', Buffer.from(text));
    for (const content of ['An earlier one.', SUMMARY]) {
      expect((await client.put(path(id), { content })).status).toBe(200);
    }
    return id;
  };
  const told = async (id: string): Promise<string | number> => {
    const answer = await client.get(path(id));
    return answer.status === 200 ? (answer.json() as { content: string }).content : answer.status;
  };

  it.each<[string, (id: string) => Promise<Answer>]>([
    [
      'update_text',
      (id) => client.post(`/documents/${id}/update_text?update_strategy=replace`, { content: 'New.' }),
    ],
    [
      'update_file',
      (id) => client.post(`/documents/${id}/update_file`, form('New.', { update_strategy: 'replace' })),
    ],
    [
      'on_duplicate=version',
      () => client.post('/ingest/file', form('Bob is laid off in May.', { on_duplicate: 'version' })),
    ],
  ])('goes when %s replaces the text', async (_, replace) => {
    const id = await summarised('Bob is laid off in May.');
    expect((await replace(id)).status).toBe(200);
    await documents.settled(id);
    expect(await told(id)).toBe(404);
    const written = await client.put(path(id), { content: 'Of the new text.', versioning: false });
    expect([written.status, await told(id)]).toEqual([200, 'Of the new text.']);
  });

  it('stays with the text: added text, a new name, new metadata, the same source again', async () => {
    const id = await summarised('Bob sails.');
    for (const answer of [
      await client.post(`/documents/${id}/update_text?update_strategy=add`, { content: 'And rows.' }),
      await client.call('PATCH', `/documents/${id}`, { body: { filename: 'renamed.txt' } }),
      await client.post(`/documents/${id}/update_metadata`, { metadata: { a: 1 } }),
    ]) {
      expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
      await documents.settled(id);
    }
    expect(await told(id)).toBe(SUMMARY);
    const other = await summarised('Bob sails again.');
    expect((await client.post('/ingest/requeue', { jobs: [{ external_id: other }] })).status).toBe(200);
    await documents.settled(other);
    expect(await told(other)).toBe(SUMMARY);
  });
});
