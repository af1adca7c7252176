import type { Answer, Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

interface Scored {
  readonly content: string;
  readonly score: number;
  readonly score_parts: object;
}

const SECRET = 'zwitterion';
const SHARED = [
  `The plan of the harbour mentions a ${SECRET} once.`,
  'The plan of the lighthouse mentions paint.',
  'Boats need paint every spring.',
];

describe('the words of a private document', () => {
  let service: SharedService;
  let ann: Client;
  let strangers: Readonly<Record<string, Client>>;

  const keyOf = async (person: string): Promise<Client> => {
    const answer = await service.client.post('/keys', {
      name: 'k',
      scopes: ['read', 'write'],
      end_user_id: person,
    });
    return service.as((answer.json() as { key: string }).key);
  };
  const change = (id: string, body: object): Promise<Answer> =>
    service.client.call('PATCH', `/documents/${id}`, { body });

  /** What each stranger gets for questions with and without the secret word, with all digits of the scores. */
  const scores = async (): Promise<unknown> => {
    const found = Object.entries(strangers).flatMap(([name, client]) =>
      [`${SECRET} paint`, `plan of a ${SECRET}`, 'harbour spring plan'].map(async (query) => {
        const answer = await client.post('/retrieve/chunks', { query, k: 10, min_score: 0, explain: true });
        const chunks = answer.json() as Scored[];
        return chunks.map(({ content, score, score_parts }) => ({
          name,
          query,
          content,
          score,
          score_parts,
        }));
      }),
    );
    return Promise.all(found);
  };

  beforeAll(async () => {
    service = await SharedService.enter();
    const documents = new Documents(() => service.client);
    for (const text of SHARED) await documents.ingestText(text, { folder_name: '/port' });
    ann = await keyOf('ann');
    const site = (await service.client.post('/keys', { name: 'site', scopes: ['read'] })).json() as {
      id: string;
    };
    const made = await service.client.post(`/keys/${site.id}/token`, {
      end_user_id: 'cleo',
      folder_name: '/port',
    });
    strangers = { bob: await keyOf('bob'), token: service.as((made.json() as { token: string }).token) };
  });
  afterAll(() => service.stop());

  it('change no score of anybody else, from its ingestion to its deletion', async () => {
    const before = await scores();
    expect(before).toEqual(
      expect.arrayContaining([expect.arrayContaining([expect.objectContaining({ name: 'token' })])]),
    );
    const mine = new Documents(() => ann);
    const { external_id: id } = await mine.ingestText(`${SECRET} `.repeat(40), { filename: 'mine.txt' });
    expect(await scores()).toEqual(before);
    await mine.ingestFile('own.txt', Buffer.from(`A ${SECRET} in a harbour.\n\n`.repeat(400)));
    expect(await scores()).toEqual(before);

    const updated = await ann.post(`/documents/${id}/update_text`, {
      content: `${SECRET} ${SECRET}`,
      update_strategy: 'add',
    });
    expect([updated.status, await scores()]).toEqual([200, before]);
    const requeued = await service.client.post('/ingest/requeue', { jobs: [{ external_id: id }] });
    expect(requeued.status).toBe(200);
    await mine.settled(id);
    expect(await scores()).toEqual(before);

    expect((await change(id, { end_user_id: null })).status).toBe(200);
    expect(await scores()).not.toEqual(before);
    expect((await change(id, { end_user_id: 'ann' })).status).toBe(200);
    expect(await scores()).toEqual(before);

    expect((await ann.call('DELETE', `/documents/${id}`)).status).toBe(200);
    expect(await scores()).toEqual(before);
  });

  it('change no score of those whom the access lists of a folder or a document leave out', async () => {
    const before = await scores();
    const { external_id: id } = await new Documents(() => service.client).ingestText(
      `A ${SECRET} in the vault.`,
      {
        folder_name: '/vault',
      },
    );
    const open = await scores();
    expect(open).not.toEqual(before);
    const only = { readers: ['user:ann'] };
    const listed = await service.client.call('PATCH', '/folders/vault', { body: { access_control: only } });
    expect([listed.status, listed.text]).toEqual([200, listed.text]);
    expect(await scores()).toEqual(before);
    expect((await change(id, { access_control: { readers: ['everyone'] } })).status).toBe(200);
    expect(await scores()).toEqual(open);
    expect((await change(id, { access_control: only })).status).toBe(200);
    expect(await scores()).toEqual(before);
    expect((await service.client.call('DELETE', `/documents/${id}`)).status).toBe(200);
    expect(await scores()).toEqual(before);
  });

  it('are found by its person, with the statistics that everyone has', async () => {
    const mine = new Documents(() => ann);
    await mine.ingestText('My own isomer is in the left drawer.', { filename: 'drawer.txt' });
    const answer = await ann.post('/retrieve/chunks', { query: 'isomer', k: 1, explain: true });
    const [first] = answer.json() as (Scored & { score_parts: { lexical: number } })[];
    expect(first?.content).toContain('isomer');
    expect(first?.score_parts.lexical).toBeGreaterThan(0);
  });
});
