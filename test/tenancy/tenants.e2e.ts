import { LocalObjectStore } from '../../src/storage/local/local-object-store.js';
import { objectKey } from '../../src/storage/object-key.js';
import type { Answer, Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { numberedPdf } from '../support/minimal-pdf.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

interface App {
  readonly app_id: string;
  readonly name: string;
  readonly uri: null;
}

interface Connection {
  readonly uri: string;
  readonly app_id: string;
}

const URI = /^morphik:\/\/([^:@/]+):([\w.-]+)@(127\.0\.0\.1:\d+)$/;

/** Returns the key in a URI, as clients parse it. */
function keyOf(uri: string): string {
  const key = URI.exec(uri)?.[2];
  if (key === undefined) throw new Error(`no URI to connect with: ${uri}`);
  return key;
}

function tenantOf(key: string): string {
  const [, claims = ''] = key.split('.');
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { app_id: string }).app_id;
}

describe('tenants', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.stop());

  const create = async (name: string, more: object = {}): Promise<Connection> => {
    const answer = await service.client.post('/cloud/generate_uri', { name, ...more });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return answer.json() as Connection;
  };
  const namesOf = async (client: Client, query = ''): Promise<string[]> =>
    ((await client.get(`/apps${query}`)).json() as { apps: App[] }).apps.map(({ name }) => name);
  /** Waits until a key is refused. @returns when the last request was sent that was not refused */
  const refused = async (key: string): Promise<number> => {
    let lastAccepted = -Infinity;
    await until('the key is refused', async () => {
      const sent = performance.now();
      if ((await service.as(key).get('/apps')).status === 401) return true;
      lastAccepted = sent;
      return false;
    });
    return lastAccepted;
  };
  const withForm = (members: Record<string, string>): FormData => {
    const form = new FormData();
    for (const [name, value] of Object.entries(members)) form.append(name, value);
    return form;
  };

  describe('by POST /local/generate_uri', () => {
    const local = (members: Record<string, string>): Promise<Answer> =>
      service.as(null).post('/local/generate_uri', withForm(members));

    it('read the audit log since they were made, not that of a removed tenant with their id', async () => {
      const actionsIn = async (client: Client, query = ''): Promise<string[]> =>
        ((await client.get(`/audit${query}`)).json() as { entries: { action: string }[] }).entries.map(
          ({ action }) => action,
        );
      /** The id of a removed tenant is free when its data are gone. */
      const make = async (): Promise<Client> => {
        let uri = '';
        await until('the tenant is made', async () => {
          const body = { name: 'tides', app_id: 'tides' };
          const answer = await service.client.post('/cloud/generate_uri', body);
          if (answer.status === 200) ({ uri } = answer.json() as Connection);
          return answer.status === 200;
        });
        return service.as(keyOf(uri));
      };
      const former = await make();
      expect((await former.post('/groups', { id: 'merger-with-dunes', members: ['ann'] })).status).toBe(200);
      expect(await actionsIn(former)).toContain('group.create');
      await service.client.delete('/apps?app_name=tides');
      const present = await make();
      expect(await actionsIn(present)).toEqual([]);
      expect((await present.post('/groups', { id: 'rowers' })).status).toBe(200);
      expect(await actionsIn(present)).toEqual(['group.create']);
      const all = await actionsIn(service.client, '?app_id=tides');
      expect(all.filter((action) => action === 'group.create')).toHaveLength(2);
    });

    it('are created with an operator key, and usable at once', async () => {
      const inTwoDays = (): number => Math.floor(Date.now() / 1_000) + 2 * 86_400;
      const earliest = inTwoDays();
      const answer = await local({ password_token: service.adminKey, name: 'Local Team', expiry_days: '2' });
      const { uri } = answer.json() as Connection;
      expect([answer.status, URI.exec(uri)?.[1], URI.exec(uri)?.[3]]).toEqual([
        200,
        'local_team',
        new URL(service.url).host,
      ]);
      const [, claims = ''] = keyOf(uri).split('.');
      const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, number>;
      expect(exp).toBeGreaterThanOrEqual(earliest);
      expect(exp).toBeLessThanOrEqual(inTwoDays());
      const team = service.as(keyOf(uri));
      expect(await namesOf(team)).toEqual(['local_team']);
      await new Documents(() => team).ingestText('Herons fish at dawn.');
      expect((await service.client.post('/documents', {})).text).not.toContain('Herons');
    });

    it('get an additional key if they exist, with both form encodings', async () => {
      const first = (await local({ password_token: service.adminKey, name: 'twice' })).json() as Connection;
      const body = new URLSearchParams({ password_token: service.adminKey, name: 'twice' }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const again = (
        await service.as(null).post('/local/generate_uri', body, { headers })
      ).json() as Connection;
      expect(tenantOf(keyOf(again.uri))).toBe(tenantOf(keyOf(first.uri)));
      for (const { uri } of [first, again]) expect(await namesOf(service.as(keyOf(uri)))).toEqual(['twice']);
    });

    it('are denied to other keys', async () => {
      const { uri } = await create('no-operator');
      expect((await local({ password_token: 'guessed', name: 'x' })).status).toBe(401);
      expect((await local({ password_token: keyOf(uri), name: 'x' })).status).toBe(403);
      const reader = (await service.client.post('/keys', { name: 'r', scopes: ['read'] })).json() as {
        key: string;
      };
      expect((await local({ password_token: reader.key, name: 'x' })).status).toBe(403);
      expect(await namesOf(service.client)).not.toContain('x');
    });

    it.each<[Record<string, string>, string[], string]>([
      [{}, ['body', 'password_token'], 'missing'],
      [{ password_token: 'p', expiry_days: 'soon' }, ['body', 'expiry_days'], 'int_type'],
      [{ password_token: 'p', expiry_days: '0' }, ['body', 'expiry_days'], 'greater_than_equal'],
      [{ password_token: 'p', name: '  ' }, ['body', 'name'], 'value_error'],
    ])('reject the form %j', async (members, loc, type) => {
      const answer = await local(members);
      expect([answer.status, (answer.json() as { detail: object[] }).detail]).toEqual([
        422,
        [expect.objectContaining({ loc, type })],
      ]);
    });

    it('reject JSON, files and oversized forms', async () => {
      const json = await service.as(null).post('/local/generate_uri', { password_token: service.adminKey });
      expect(json.status).toBe(415);
      const file = withForm({ password_token: service.adminKey });
      file.append('file', new Blob(['a']), 'a.txt');
      expect((await service.as(null).post('/local/generate_uri', file)).status).toBe(400);
      const many = withForm(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`m${i}`, 'a'])));
      expect((await service.as(null).post('/local/generate_uri', many)).status).toBe(400);
      // Other routes accept JSON only.
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      expect((await service.client.post('/keys', 'name=a', { headers })).status).toBe(415);
    });
  });

  describe('are managed by the operator', () => {
    it('who creates, lists, filters, renames and deletes them', async () => {
      const { app_id } = await create('Managed App', { app_id: 'managed-1', expiry_days: 1, org_id: 'o' });
      expect(app_id).toBe('managed-1');
      const filter = (text: string, name = 'app_name_filter') => `?${name}=${encodeURIComponent(text)}`;
      expect(await namesOf(service.client, filter('{"$eq":"managed_app"}'))).toEqual(['managed_app']);
      expect(await namesOf(service.client, filter('["managed_app","nobody"]'))).toEqual(['managed_app']);
      expect(await namesOf(service.client, filter('{"$regex":"^manag"}'))).toEqual(['managed_app']);
      expect(await namesOf(service.client, filter('{"$in":["managed-1"]}', 'app_id_filter'))).toEqual([
        'managed_app',
      ]);
      const without = '{"$and":[{"$regex":"^manag"},{"$not":{"$eq":"managed_app"}}]}';
      expect(await namesOf(service.client, filter(without))).toEqual([]);
      expect(await namesOf(service.client, '?org_id=o')).toEqual([]);
      expect(await namesOf(service.client, '?limit=1&offset=0')).toHaveLength(1);

      const renamed = await service.client.call(
        'PATCH',
        `/apps/rename?app_id=managed-1&new_name=${encodeURIComponent('New Name')}`,
      );
      expect(renamed.json()).toEqual({ app_id: 'managed-1', app_name: 'new_name', uri: null });
      const deleted = await service.client.delete('/apps?app_name=New%20Name');
      expect([deleted.status, deleted.json()]).toEqual([
        200,
        { app_name: 'new_name', status: 'deleted', documents_deleted: 0, folders_deleted: 0 },
      ]);
    });

    it('and have a unique name and id', async () => {
      await create('taken', { app_id: 'taken-id' });
      await create('other', { app_id: 'other-id' });
      expect((await service.client.post('/cloud/generate_uri', { name: 'Taken' })).status).toBe(409);
      const sameId = await service.client.post('/cloud/generate_uri', { name: 'z', app_id: 'taken-id' });
      expect(sameId.status).toBe(409);
      expect((await service.client.call('PATCH', '/apps/rename?app_name=other&new_name=taken')).status).toBe(
        409,
      );
      // Creating a key fails if the name of another tenant equals the id.
      const key = await service.client.post('/keys', { name: 'k', scopes: ['read'], app_id: 'taken' });
      expect([key.status, key.json()]).toEqual([409, { detail: 'Another application has this name' }]);
    });

    it('except the default tenant, which is the operator', async () => {
      expect((await service.client.delete('/apps?app_name=default')).status).toBe(409);
      expect((await service.client.call('PATCH', '/apps/rename?app_id=default&new_name=x')).status).toBe(409);
    });

    it.each([
      ['POST', '/apps/rotate_token', ['query'], 'value_error'],
      ['POST', '/apps/rotate_token?app_name=a&expiry_days=0', ['query', 'expiry_days'], 'greater_than_equal'],
      ['PATCH', '/apps/rename?app_name=a', ['query', 'new_name'], 'missing'],
      ['DELETE', '/apps', ['query', 'app_name'], 'missing'],
      ['GET', '/apps?limit=501', ['query', 'limit'], 'less_than_equal'],
      ['GET', '/apps?app_id_filter=acme', ['query', 'app_id_filter'], 'json_invalid'],
      ['GET', '/apps?app_id_filter={"$is":1}', ['query', 'app_id_filter', '$is'], 'value_error'],
    ])('%s %s is rejected at its location', async (method, path, loc, type) => {
      const answer = await service.client.call(method, path);
      expect([answer.status, (answer.json() as { detail: object[] }).detail]).toEqual([
        422,
        [expect.objectContaining({ loc, type })],
      ]);
    });
  });

  describe('are isolated from each other', () => {
    it('and an admin key of one manages no other tenant', async () => {
      const [mine, foreign] = [await create('mine'), await create('foreign')];
      const admin = service.as(keyOf(mine.uri));
      expect(await namesOf(admin)).toEqual(['mine']);
      expect((await admin.post('/cloud/generate_uri', { name: 'third' })).status).toBe(403);
      for (const [method, path] of [
        ['DELETE', '/apps?app_name='],
        ['POST', '/apps/rotate_token?app_name='],
        ['PATCH', '/apps/rename?new_name=x&app_name='],
        ['GET', '/keys?app_id='],
        ['DELETE', `/keys/${mine.app_id}?app_id=`],
      ] as const) {
        const answers = await Promise.all(
          ['foreign', foreign.app_id, 'unknown'].map((name) => admin.call(method, path + name)),
        );
        expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
        expect(answers[0]?.status).toBeGreaterThanOrEqual(403);
      }
      const byId = await admin.post(`/apps/rotate_token?app_id=${foreign.app_id}`);
      const unknown = await admin.post('/apps/rotate_token?app_id=unknown');
      expect([byId.status, byId.text]).toEqual([404, unknown.text]);
      expect(await namesOf(service.as(keyOf(foreign.uri)))).toEqual(['foreign']);
    });
  });

  describe('have keys', () => {
    it('that a rotation replaces', async () => {
      const { uri, app_id } = await create('rotating');
      const other = (await service.client.post('/keys', { name: 'k', scopes: ['read'], app_id })).json() as {
        key: string;
      };
      const rotated = await service.as(keyOf(uri)).post('/apps/rotate_token?app_name=rotating&expiry_days=3');
      const answer = rotated.json() as Connection & { token_version: number };
      expect(answer).toMatchObject({ app_id, app_name: 'rotating', token_version: 1 });
      const since = performance.now();
      for (const key of [keyOf(uri), other.key]) expect((await refused(key)) - since).toBeLessThan(1_000);
      expect(await namesOf(service.as(keyOf(answer.uri)))).toEqual(['rotating']);
      const again = await service.client.post(`/apps/rotate_token?app_id=${app_id}`);
      expect(again.json()).toMatchObject({ token_version: 2 });
    });

    it('that the operator lists and revokes over HTTP', async () => {
      const { uri, app_id } = await create('listed');
      const list = (await service.client.get(`/keys?app_id=${app_id}`)).json() as { id: string }[];
      expect(list).toHaveLength(1);
      const id = list[0]?.id ?? '';
      expect((await service.client.delete(`/keys/${id}`)).status).toBe(404);
      expect((await service.client.delete(`/keys/${id}?app_id=${app_id}`)).status).toBe(200);
      await refused(keyOf(uri));
    });
  });

  it('are deleted with all of their data, and no data of others', async () => {
    const { uri, app_id } = await create('doomed', { app_id: 'doomed' });
    const neighbour = service.as(keyOf((await create('doomed-not', { app_id: 'doomed-not' })).uri));
    for (const client of [service.as(keyOf(uri)), neighbour]) {
      const documents = new Documents(() => client);
      await documents.ingestText('Herons fish at dawn.', { folder_name: '/birds/water', metadata: { a: 1 } });
      const paged = await documents.ingestFile('pages.pdf', numberedPdf(2, 'heron'), { use_colpali: 'true' });
      expect(paged.system_metadata.status).toBe('completed');
      const chat = await client.post('/query', { query: 'When do herons fish?', chat_id: 'c' });
      expect(chat.status).toBe(200);
      const form = new FormData();
      form.append('purpose', 'assistants');
      form.append('file', new Blob(['Terns nest on the pier.']), 'terns.txt');
      const { id: file } = (await client.post('/v1/files', form)).json() as { id: string };
      const store = (await client.post('/v1/vector_stores', { file_ids: [file] })).json() as { id: string };
      const settled = async (): Promise<boolean> =>
        (await client.get(`/v1/vector_stores/${store.id}`)).text.includes('"completed":1');
      await until('the file is in the store', settled);
      const update = { content: 'More.' };
      const headers = { 'idempotency-key': 'k' };
      await client.post(`/documents/${paged.external_id}/update_text`, update, { headers });
    }
    const files = new LocalObjectStore(`${service.dataDir}/files`);
    const keys = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const { key } of files.list()) found.push(key.split('/')[0] ?? '');
      return found;
    };
    expect(await keys()).toEqual(expect.arrayContaining([objectKey('doomed'), objectKey('doomed-not')]));

    const deleted = await service.as(keyOf(uri)).delete('/apps?app_name=doomed');
    expect(deleted.json()).toEqual({
      app_name: 'doomed',
      status: 'deleted',
      documents_deleted: 3,
      folders_deleted: 4,
    });
    await refused(keyOf(uri));
    expect(await keys()).not.toContain(objectKey('doomed'));
    expect(await keys()).toContain(objectKey('doomed-not'));
    expect(await namesOf(service.client)).not.toContain('doomed');
    expect((await neighbour.post('/documents', { include_total_count: true })).json()).toMatchObject({
      total_count: 3,
    });
    expect((await neighbour.get('/chat/c')).status).toBe(200);
    const kept = (await neighbour.get('/v1/files')).json() as { data: { id: string }[] };
    expect(kept.data).toHaveLength(1);
    expect((await neighbour.get(`/v1/files/${kept.data[0]?.id ?? ''}/content`)).text).toContain('Terns');

    // The id is free: a new tenant with it finds no data.
    const next = service.as(keyOf((await create('doomed', { app_id })).uri));
    expect((await next.post('/documents', { include_total_count: true })).json()).toMatchObject({
      total_count: 0,
    });
    expect((await next.get('/usage/app-storage')).json()).toMatchObject({ total_mb: 0, document_count: 0 });
    expect((await next.post('/retrieve/chunks', { query: 'herons' })).json()).toEqual([]);
    expect((await next.get('/chats')).json()).toEqual([]);
    for (const list of ['files', 'vector_stores']) {
      expect((await next.get(`/v1/${list}`)).json()).toMatchObject({ data: [], has_more: false });
    }
  });
});
