import { randomUUID } from 'node:crypto';
import type { Answer, Client } from '../support/client.js';
import { Documents, type DocumentRecord } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

describe('on_duplicate', () => {
  let service: SharedService;
  let client: Client;
  let documents: Documents;

  const sendFile = (
    text: string,
    more: Readonly<Record<string, string>> = {},
    by = client,
  ): Promise<Answer> => {
    const form = new FormData();
    form.append('file', new Blob([text]), 'heron.txt');
    for (const [name, value] of Object.entries(more)) form.append(name, value);
    return by.post('/ingest/file', form);
  };
  const idOf = (answer: Answer): string => (answer.json() as DocumentRecord).external_id;
  /** A text that no other test has. */
  const fresh = (): string => `Herons fish at dawn, says ${randomUUID()}.`;
  const keyOf = async (person: string): Promise<Client> => {
    const answer = await client.post('/keys', {
      name: person,
      scopes: ['read', 'write'],
      end_user_id: person,
    });
    return service.as((answer.json() as { key: string }).key);
  };

  beforeAll(async () => {
    service = await SharedService.enter();
    client = service.client;
    documents = new Documents(() => client);
  });
  afterAll(() => service.stop());

  it('reject refuses bytes that are stored, as a file or as a text, and names the document', async () => {
    const text = fresh();
    const id = idOf(await sendFile(text));
    const refused = [
      await sendFile(text, { on_duplicate: 'reject', filename: 'other.txt' }),
      await client.post('/ingest/text', { content: text, on_duplicate: 'reject' }),
    ];
    for (const answer of refused) {
      expect([answer.status, answer.json()]).toEqual([
        409,
        { detail: `The same content is stored as document ${id} ("heron.txt")` },
      ]);
    }
    expect((await sendFile(`${text} `, { on_duplicate: 'reject' })).status).toBe(200);
  });

  it('return answers with the record that exists', async () => {
    const text = fresh();
    const { external_id: id } = await documents.ingestText(text);
    const same = await sendFile(text, { on_duplicate: 'return' });
    expect([same.status, same.json()]).toMatchObject([200, { external_id: id }]);
    expect((same.json() as DocumentRecord).system_metadata).toMatchObject({
      status: 'completed',
      version: 1,
    });
  });

  it('is another document without it, and in another folder', async () => {
    const text = fresh();
    const ids = new Set([idOf(await sendFile(text)), idOf(await sendFile(text))]);
    ids.add(idOf(await sendFile(text, { on_duplicate: 'reject', folder_name: '/birds' })));
    ids.add(idOf(await sendFile(text, { on_duplicate: 'reject', folder_name: '/birds/herons' })));
    expect(ids.size).toBe(4);
    expect((await sendFile(text, { on_duplicate: 'reject', folder_name: 'birds' })).status).toBe(409);
  });

  it.each(['file', 'text'])('version makes a version of a document from a %s', async (kind) => {
    const text = fresh();
    const send = (more: Readonly<Record<string, string>>): Promise<Answer> =>
      kind === 'file'
        ? sendFile(text, more)
        : client.post('/ingest/text', {
            content: text,
            ...more,
            metadata: JSON.parse(more['metadata'] ?? '{}') as object,
          });
    const id = idOf(await send({ metadata: '{"a":1,"b":1}' }));
    await documents.settled(id);
    const answer = await send({ on_duplicate: 'version', metadata: '{"b":2}' });
    expect([answer.status, idOf(answer)]).toEqual([200, id]);
    const record = await documents.settled(id);
    expect(record).toMatchObject({
      metadata: { a: 1, b: 2 },
      system_metadata: { status: 'completed', version: 2, update_history: [{ strategy: 'replace' }] },
    });
    expect(await documents.text(id)).toBe(text);
    expect(idOf(await send({ on_duplicate: 'return' }))).toBe(id);
    const { entries } = (await client.get('/audit?limit=20')).json() as {
      readonly entries: readonly { readonly action: string; readonly subject: string | null }[];
    };
    expect(entries).toContainEqual(
      expect.objectContaining({ action: `document.update_${kind}`, subject: id }),
    );
    const file = await client.fetch('GET', `/documents/${id}/file`);
    expect(await file.text()).toBe(text);
  });

  it('version refuses lists of access, which an update does not change', async () => {
    const answer = await client.post('/ingest/text', {
      content: fresh(),
      on_duplicate: 'version',
      access_control: { readers: ['everyone'] },
    });
    expect([answer.status, answer.json()]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'access_control'] }] },
    ]);
  });

  it('forgets a source when the text is changed', async () => {
    const text = fresh();
    const { external_id: id } = await documents.ingestText(text);
    await client.post(`/documents/${id}/update_text?update_strategy=add`, { content: 'More.' });
    expect((await sendFile(text, { on_duplicate: 'reject' })).status).toBe(200);
    const other = fresh();
    await client.post(`/documents/${id}/update_text?update_strategy=replace`, { content: other });
    expect((await sendFile(other, { on_duplicate: 'reject' })).status).toBe(409);
  });

  it('does not take a failed document for a duplicate', async () => {
    const broken = `%PDF-1.7 ${randomUUID()}`;
    const failed = await documents.ingestFile('cut.pdf', Buffer.from(broken));
    expect(failed.system_metadata.status).toBe('failed');
    expect((await sendFile(broken, { on_duplicate: 'reject', filename: 'cut.pdf' })).status).toBe(200);
  });

  it('tells nobody of the private documents of others, nor gives them to an application', async () => {
    const [ann, bob] = [await keyOf('ann'), await keyOf('bob')];
    const text = fresh();
    const bobs = idOf(await sendFile(text, {}, bob));
    for (const by of [ann, client]) {
      const answer = await sendFile(text, { on_duplicate: 'return' }, by);
      expect([answer.status, idOf(answer) === bobs]).toEqual([200, false]);
    }
    expect(idOf(await sendFile(text, { on_duplicate: 'return' }, bob))).toBe(bobs);
  });

  it('lets nobody make a version of a document that they may not change', async () => {
    const ann = await keyOf('ann');
    const text = fresh();
    const { external_id: id } = await documents.ingestText(text);
    expect((await sendFile(text, { on_duplicate: 'version' }, ann)).status).toBe(403);
    expect((await documents.get(id)).system_metadata.version).toBe(1);
  });

  it('adds one document of many that arrive together', async () => {
    const text = fresh();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => sendFile(text, { on_duplicate: 'reject' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  });

  it('names the duplicates among several files', async () => {
    const text = fresh();
    const form = new FormData();
    for (const name of ['a.txt', 'b.txt']) form.append('files', new Blob([text]), name);
    form.append('on_duplicate', 'reject');
    const answer = (await client.post('/ingest/files', form)).json() as {
      documents: readonly DocumentRecord[];
      errors: readonly object[];
    };
    const [first] = answer.documents;
    expect(answer.documents).toHaveLength(1);
    expect(answer.errors).toEqual([
      {
        filename: 'b.txt',
        error: `The same content is stored as document ${first?.external_id ?? ''} ("a.txt")`,
      },
    ]);
  });

  it('is refused in the name of a browser token, which may not see other documents', async () => {
    const { id } = (await client.post('/keys', { name: 'site', scopes: ['read', 'write'] })).json() as {
      id: string;
    };
    const { token } = (
      await client.post(`/keys/${id}/token`, { scopes: ['ingest'], end_user_id: 'ann' })
    ).json() as { token: string };
    const answer = await service.as(token).post('/ingest/text', { content: fresh(), on_duplicate: 'return' });
    expect([answer.status, answer.json()]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'on_duplicate'] }] },
    ]);
  });
});
