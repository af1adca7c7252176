import type { Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { EventReader } from '../support/event-reader.js';
import { SharedService } from '../support/shared-service.js';

describe('GET /events', () => {
  let service: SharedService;
  let client: Client;
  let documents: Documents;
  const readers: EventReader[] = [];

  const open = async (by: Client, query = '', lastEventId?: string): Promise<EventReader> => {
    const reader = await EventReader.open(by, `/events${query}`, lastEventId);
    readers.push(reader);
    return reader;
  };
  const keyOf = async (more: object): Promise<Client> => {
    const answer = await service.client.post('/keys', { name: 'k', scopes: ['read', 'write'], ...more });
    return service.as((answer.json() as { key: string }).key);
  };
  const isAbout =
    (id: string, type: string) =>
    (event: { type: string; data?: { document_id?: string } }): boolean =>
      event.type === type && event.data?.document_id === id;

  beforeAll(async () => {
    service = await SharedService.enter();
    client = service.client;
    documents = new Documents(() => client);
  });
  afterEach(async () => {
    await Promise.all(readers.splice(0).map((reader) => reader.close()));
  });
  afterAll(() => service.stop());

  it('tells a document from its creation to its deletion, in order', async () => {
    const events = await open(client);
    expect(await events.next()).toMatchObject({ type: 'stream.ready' });
    const { external_id: id } = await documents.ingestText('Herons fish.', { filename: 'heron.txt' });
    await events.until(isAbout(id, 'document.completed'));
    await client.post(`/documents/${id}/update_metadata`, { seen: true });
    await events.until(isAbout(id, 'document.updated'));
    const access_control = { readers: ['everyone', 'user:ann'] };
    await client.call('PATCH', `/documents/${id}`, { body: { access_control } });
    await events.until(isAbout(id, 'document.updated'));
    await client.delete(`/documents/${id}`);
    await events.until(isAbout(id, 'document.deleted'));
    const types = events.seen.filter(({ data }) => data?.['document_id'] === id).map(({ type }) => type);
    expect(types.filter((type) => type !== 'document.progress')).toEqual([
      'document.created',
      'document.completed',
      'document.updated',
      'document.updated',
      'document.deleted',
    ]);
    const completed = events.seen.find(isAbout(id, 'document.completed'));
    expect(completed?.data).toEqual({
      document_id: id,
      filename: 'heron.txt',
      status: 'completed',
      version: 1,
    });
  });

  it('names a document as it is named now, also to whoever may read it only since', async () => {
    const [ann, bob] = [await keyOf({ end_user_id: 'ann' }), await keyOf({ end_user_id: 'bob' })];
    const first = (await (await open(client)).next()).id;
    const own = new Documents(() => ann);
    const { external_id: id } = await own.ingestText('Herons fish.', { filename: 'who-leaves.txt' });
    await ann.call('PATCH', `/documents/${id}`, { body: { filename: 'herons.txt' } });
    await own.settled(id);
    const access_control = { readers: ['user:bob'] };
    await ann.call('PATCH', `/documents/${id}`, { body: { access_control } });
    const events = await open(bob, `?document_id=${id}`, first);
    await events.until(({ type }) => type === 'document.created');
    await ann.call('PATCH', `/documents/${id}`, { body: { access_control: { readers: ['everyone'] } } });
    await events.until(({ type, data }) => type === 'document.updated' && data?.['version'] === 2);
    const names = events.seen.flatMap(({ data }) => data?.['filename'] ?? []);
    expect(new Set(names)).toEqual(new Set(['herons.txt']));
  });

  it('tells why an ingestion failed', async () => {
    const events = await open(client, '?types=document.failed');
    const { external_id: id } = await documents.ingestFile('broken.pdf', Buffer.from('%PDF-1.7 broken'));
    const failed = await events.until(isAbout(id, 'document.failed'));
    expect(failed.data).toMatchObject({ status: 'failed', error: expect.stringMatching(/./) as string });
  });

  it('goes on behind the last event, without a loss and without a repetition', async () => {
    const events = await open(client);
    const ready = await events.next();
    const ids: string[] = [];
    for (const text of ['one', 'two', 'three']) ids.push((await documents.ingestText(text)).external_id);
    await events.until(isAbout(ids[2] ?? '', 'document.completed'));
    const middle = events.seen.findIndex(isAbout(ids[1] ?? '', 'document.created'));
    await events.close();
    const again = await open(client, '', events.seen[middle]?.id);
    await again.until(isAbout(ids[2] ?? '', 'document.completed'));
    const [first, ...rest] = again.seen;
    expect(first?.type).toBe('stream.ready');
    expect(rest).toEqual(events.seen.slice(middle + 1, middle + 1 + rest.length));
    const whole = await open(client, `?last_event_id=${ready.id}`);
    await whole.until(isAbout(ids[2] ?? '', 'document.completed'));
    expect(whole.seen.slice(1)).toEqual(events.seen.slice(1, whole.seen.length));
  });

  it('begins with a reset where events are missing, and refuses what is no id', async () => {
    const future = await open(client, '', '9000000000000000000-1');
    expect(await future.next()).toMatchObject({ type: 'stream.reset' });
    const answer = await client.get('/events', { headers: { 'last-event-id': 'x' } });
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('Last-Event-ID')]);
  });

  it('tells a person, a token and another tenant of nothing that they may not read', async () => {
    const [ann, bob] = [await keyOf({ end_user_id: 'ann' }), await keyOf({ end_user_id: 'bob' })];
    const { id: keyId } = (await service.client.post('/keys', { name: 'site', scopes: ['read'] })).json() as {
      id: string;
    };
    const tokenFor = async (body: object): Promise<Client> =>
      service.as(
        ((await service.client.post(`/keys/${keyId}/token`, body)).json() as { token: string }).token,
      );
    const other = service.as(await service.newTenant());
    const watchers = {
      ann: await open(ann),
      bob: await open(bob),
      inFolder: await open(await tokenFor({ scopes: ['status'], end_user_id: 'ann', folder_name: '/nest' })),
      byFilter: await open(
        await tokenFor({ scopes: ['status'], end_user_id: 'ann', filters: { kind: 'heron' } }),
      ),
      other: await open(other),
    };
    const make = async (by: Client, more: object): Promise<string> => {
      const own = new Documents(() => by);
      const { external_id: id } = await own.ingestText('Text.', more);
      await by.delete(`/documents/${id}`);
      return id;
    };
    const heron = await make(ann, { folder_name: '/nest', metadata: { kind: 'heron' } });
    const crane = await make(ann, { metadata: { kind: 'crane' } });
    const shared = await make(client, { metadata: { kind: 'heron' }, folder_name: '/nest' });
    const theirs = await make(other, {});
    // Each watcher is past all these events once it has seen the last one that it may read.
    await watchers.ann.until(isAbout(shared, 'document.deleted'));
    await watchers.bob.until(isAbout(shared, 'document.deleted'));
    await watchers.inFolder.until(isAbout(shared, 'document.deleted'));
    await watchers.byFilter.until(isAbout(shared, 'document.deleted'));
    await watchers.other.until(isAbout(theirs, 'document.deleted'));
    const told = (reader: EventReader): string[] => [
      ...new Set(reader.seen.flatMap(({ data }) => (data === undefined ? [] : String(data['document_id'])))),
    ];
    expect(told(watchers.ann)).toEqual([heron, crane, shared]);
    expect(told(watchers.bob)).toEqual([shared]);
    expect(told(watchers.inFolder)).toEqual([heron, shared]);
    expect(told(watchers.byFilter)).toEqual([heron, shared]);
    expect(told(watchers.other)).toEqual([theirs]);
  });

  it('ends with its key', async () => {
    const made = await service.client.post('/keys', { name: 'short', scopes: ['read'] });
    const { id, key } = made.json() as { id: string; key: string };
    const events = await open(service.as(key));
    await events.next();
    await service.client.delete(`/keys/${id}`);
    expect(await events.until(({ type }) => type === 'error')).toMatchObject({ type: 'error', status: 401 });
  });

  it('has a bound for the streams of one caller', async () => {
    const caller = await keyOf({});
    await Promise.all(Array.from({ length: 20 }, async () => (await open(caller)).next()));
    const answer = await caller.get('/events');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '10']);
    await readers.at(-1)?.close();
  });
});
