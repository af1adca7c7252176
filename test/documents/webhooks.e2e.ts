import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LecternClient } from '../../clients/typescript/src/index.js';
import { type Answer, Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { ServiceProcess } from '../support/process.js';
import { onServer } from '../support/server-database.js';
import { Service } from '../support/service.js';
import { freePorts } from '../support/shared-service.js';
import { until } from '../support/until.js';
import { type Message, type Received, verified, WebhookReceiver } from '../support/webhook-receiver.js';

interface Hook {
  readonly id: string;
  readonly secret: string;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
  readonly failing_since: string | null;
}

interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly document_id: string | null;
  readonly status: string;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly last_status_code: number | null;
  readonly last_error: string | null;
}

describe('webhooks', () => {
  let receiver: WebhookReceiver;
  let service: Service;
  let paths = 0;
  let slowHook: string;
  /** Of the receiver of the guide. */
  let guidePort: number;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    [guidePort = 0] = await freePorts(1);
    service = await Service.start({
      WEBHOOK_ALLOWED_BASES: `${receiver.url},http://127.0.0.1:${guidePort},public`,
      QUOTA_PERSON: 'webhooks=2',
    });
  });
  afterAll(async () => {
    await service.stop();
    await receiver.close();
  });

  const newPath = (): string => `/in/${(paths += 1)}`;
  const make = async (by: Client, path: string, more: object = {}): Promise<Hook> => {
    const answer = await by.post('/webhooks', { url: receiver.url + path, ...more });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json() as Hook;
  };
  const keyOf = async (more: object = {}): Promise<{ id: string; client: Client }> => {
    const answer = await service.client.post('/keys', { name: 'k', scopes: ['read', 'write'], ...more });
    const { id, key } = answer.json() as { id: string; key: string };
    return { id, client: service.as(key) };
  };
  const ingest = async (by: Client, more: object = {}): Promise<string> =>
    (await new Documents(() => by).ingestText('The lamp is lit at dusk.', more)).external_id;
  const hookNow = async (id: string, by = service.client): Promise<Hook> =>
    (await by.get(`/webhooks/${id}`)).json() as Hook;
  const deliveriesOf = async (id: string, query = '', by = service.client): Promise<Delivery[]> =>
    ((await by.get(`/webhooks/${id}/deliveries${query}`)).json() as { deliveries: Delivery[] }).deliveries;
  const delivered = (id: string, isSought: (one: Delivery) => boolean): Promise<Delivery> =>
    until(`a delivery of webhook ${id}`, async () => (await deliveriesOf(id)).find(isSought));
  const isAbout =
    (document: string, type: string) =>
    (message: Message): boolean =>
      message.type === type && message.data?.['document_id'] === document;
  const documentsIn = (received: readonly Received[]): unknown[] => [
    ...new Set(received.map(({ message }) => message.data?.['document_id'])),
  ];

  it('try again after a failure, also after a restart, with the same id and content', async () => {
    const path = newPath();
    receiver.react(path, 500, 204);
    const { id, secret } = await make(service.client, path, { types: ['document.completed'] });
    const document = await ingest(service.client);
    await delivered(id, ({ last_status_code }) => last_status_code === 500);
    const [waiting] = await deliveriesOf(id);
    expect(waiting).toMatchObject({
      status: 'waiting',
      attempts: 1,
      next_attempt_at: expect.any(String) as string,
    });
    expect((await hookNow(id)).failing_since).not.toBeNull();
    await service.terminate();
    await service.restart();
    await delivered(id, ({ status }) => status === 'delivered');
    const attempts = receiver.at(path);
    expect(attempts.map(({ message }) => message.data?.['document_id'])).toEqual([document, document]);
    expect(new Set(attempts.map((one) => one.id)).size).toBe(1);
    expect(new Set(attempts.map(({ body }) => body)).size).toBe(1);
    for (const one of attempts) verified(secret, one);
    expect(await deliveriesOf(id)).toMatchObject([
      { status: 'delivered', attempts: 2, last_status_code: 204 },
    ]);
    expect((await hookNow(id)).failing_since).toBeNull();
  });

  it('send to no address that is no longer allowed', async () => {
    const path = newPath();
    const { id } = await make(service.client, path, { types: ['document.completed'] });
    await service.terminate();
    await service.restart({ WEBHOOK_ALLOWED_BASES: '' });
    await ingest(service.client);
    const refused = await delivered(id, ({ last_error }) => last_error !== null);
    const reason = `WEBHOOK_ALLOWED_BASES does not list ${receiver.url}`;
    expect(refused.last_error).toContain(reason);
    const answer = await service.client.post('/webhooks', { url: `${receiver.url}/in` });
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(reason)]);
    expect(receiver.at(path)).toEqual([]);
    await service.terminate();
    await service.restart();
    await service.client.delete(`/webhooks/${id}`);
  });

  it('do not wait for a slow receiver of another webhook', async () => {
    const [slow, quick] = [newPath(), newPath()];
    receiver.react(slow, 'none');
    slowHook = (await make(service.client, slow, { types: ['document.completed'] })).id;
    await make(service.client, quick, { types: ['document.completed'] });
    const documents = await Promise.all([1, 2, 3, 4, 5, 6].map(() => ingest(service.client)));
    for (const one of documents) await receiver.next(quick, isAbout(one, 'document.completed'));
  });

  it('tell what happens to documents, signed by the Standard Webhooks scheme', async () => {
    const path = newPath();
    const { id: hook, secret } = await make(service.client, path);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const id = await ingest(service.client, { filename: 'lamp.txt' });
    await receiver.next(path, isAbout(id, 'document.completed'));
    await service.client.delete(`/documents/${id}`);
    await receiver.next(path, isAbout(id, 'document.deleted'));
    const own = receiver.at(path).filter(({ message }) => message.data?.['document_id'] === id);
    expect(own.map(({ message }) => message.type).sort()).toEqual([
      'document.completed',
      'document.created',
      'document.deleted',
    ]);
    for (const one of own) expect(verified(secret, one)).toEqual(one.message);
    const completed = own.find(({ message }) => message.type === 'document.completed');
    expect(completed?.message).toEqual({
      type: 'document.completed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      data: { document_id: id, filename: 'lamp.txt', status: 'completed', version: 1 },
    });
    expect(completed?.headers).toMatchObject({ 'content-type': 'application/json' });
    const listed = await delivered(hook, ({ type }) => type === 'document.completed');
    expect(listed).toEqual({
      id: completed?.id,
      type: 'document.completed',
      document_id: id,
      status: 'delivered',
      attempts: 1,
      next_attempt_at: null,
      last_attempt_at: expect.any(String) as string,
      last_status_code: 204,
      last_error: null,
      happened_at: completed?.message.timestamp,
    });
    expect(JSON.stringify(await deliveriesOf(hook))).not.toContain('business');
    expect(JSON.stringify(await hookNow(hook))).not.toContain('whsec_');
  });

  it('list deliveries in pages and by state', async () => {
    const path = newPath();
    const { id } = await make(service.client, path, { types: ['document.completed'] });
    await ingest(service.client);
    await ingest(service.client);
    await until('two deliveries', async () => (await deliveriesOf(id, '?status=delivered')).length === 2);
    const first = (await service.client.get(`/webhooks/${id}/deliveries?limit=1`)).json() as {
      deliveries: Delivery[];
      next: string;
    };
    const second = (
      await service.client.get(`/webhooks/${id}/deliveries?limit=1&before=${first.next}`)
    ).json() as { deliveries: Delivery[]; next: null };
    expect([first.deliveries.length, second.deliveries.length, second.next]).toEqual([1, 1, null]);
    expect(first.deliveries[0]?.id).not.toBe(second.deliveries[0]?.id);
    expect(await deliveriesOf(id, '?status=failed')).toEqual([]);
  });

  it.each([
    ['http://127.0.0.1:9', 'must begin with https://, unless WEBHOOK_ALLOWED_BASES lists http://127.0.0.1:9'],
    ['https://127.0.0.1:9/in', 'does not resolve to a public address'],
    ['https://localhost:9/in', 'does not resolve to a public address'],
    ['https://169.254.169.254/latest', 'does not resolve to a public address'],
    ['https://user:pw@example.com/in', 'must not have credentials or a fragment'],
    ['ftp://example.com', 'is not an http or https URL'],
    ['lamp', 'is not a URL'],
  ])('refuse %s', async (url, reason) => {
    const { id } = await make(service.client, newPath());
    for (const answer of [
      await service.client.post('/webhooks', { url }),
      await service.client.call('PATCH', `/webhooks/${id}`, { body: { url } }),
    ]) {
      expect([answer.status, answer.json()]).toEqual([
        422,
        { detail: [{ loc: ['body', 'url'], msg: `Value error, ${reason}`, type: 'value_error' }] },
      ]);
    }
    await service.client.delete(`/webhooks/${id}`);
  });

  it('follow no redirect', async () => {
    const [path, elsewhere] = [newPath(), newPath()];
    receiver.react(path, `${receiver.url}${elsewhere}` as `http${string}`);
    const { id } = await make(service.client, path, { types: ['document.completed'] });
    await ingest(service.client);
    const refused = await delivered(id, ({ last_error }) => last_error !== null);
    expect(refused.last_error).toBe('The receiver sent a redirect, which is not followed');
    expect(receiver.at(elsewhere)).toEqual([]);
    await service.client.delete(`/webhooks/${id}`);
  });

  it('tell a person, and everybody in a folder or filter, only what they may read', async () => {
    const [ann, bob] = [await keyOf({ end_user_id: 'ann' }), await keyOf({ end_user_id: 'bob' })];
    const all = newPath();
    const by = {
      ann: newPath(),
      bob: newPath(),
      folder: newPath(),
      filter: newPath(),
      endUser: newPath(),
      group: newPath(),
    };
    const types = { types: ['document.completed'] };
    const hooks = [
      await make(service.client, all, types),
      await make(ann.client, by.ann, types),
      await make(bob.client, by.bob, types),
      await make(service.client, by.folder, { ...types, folder_name: '/nest', folder_depth: -1 }),
      await make(service.client, by.filter, { ...types, filters: { kind: 'heron' } }),
      await make(service.client, by.endUser, { ...types, end_user_id: 'ann' }),
      await make(service.client, by.group, { ...types, groups: ['keepers'] }),
    ];
    const heron = await ingest(ann.client, { folder_name: '/nest/low', metadata: { kind: 'heron' } });
    const crane = await ingest(bob.client, { metadata: { kind: 'crane' } });
    const kept = await ingest(ann.client, { access_control: { readers: ['group:keepers'] } });
    const shared = await ingest(service.client, { folder_name: '/nest', metadata: { kind: 'heron' } });
    for (const path of [all, by.ann, by.bob, by.folder, by.filter, by.group]) {
      await receiver.next(path, isAbout(shared, 'document.completed'));
    }
    await receiver.next(by.endUser, isAbout(kept, 'document.completed'));
    const told = (path: string): unknown[] => documentsIn(receiver.at(path)).sort();
    expect(told(all)).toEqual([heron, crane, kept, shared].sort());
    expect(told(by.ann)).toEqual([heron, kept, shared].sort());
    expect(told(by.bob)).toEqual([crane, shared].sort());
    expect(told(by.folder)).toEqual([heron, shared].sort());
    expect(told(by.filter)).toEqual([heron, shared].sort());
    expect(told(by.endUser)).toEqual([heron, kept].sort());
    expect(told(by.group)).toEqual([kept, shared].sort());
    for (const { id } of hooks) await service.client.delete(`/webhooks/${id}`);
  });

  it('tell nothing that their maker may no longer read, also when they try again', async () => {
    await service.client.post('/groups', { id: 'watch', members: ['cleo'] });
    const cleo = await keyOf({ end_user_id: 'cleo' });
    const path = newPath();
    receiver.react(path, 500, 204);
    const { id } = await make(cleo.client, path, { types: ['document.completed'] });
    const secret = await ingest(service.client, { access_control: { readers: ['group:watch'] } });
    await receiver.next(path, isAbout(secret, 'document.completed'));
    await service.client.delete('/groups/watch/members/cleo');
    const dropped = await delivered(id, ({ status }) => status !== 'waiting');
    expect(dropped).toMatchObject({ status: 'dropped', document_id: secret, attempts: 2 });
    const open = await ingest(service.client);
    await receiver.next(path, isAbout(open, 'document.completed'));
    expect(receiver.at(path).length).toBe(2);
    await service.client.delete(`/keys/${cleo.id}`);
    await ingest(service.client);
    await until('the webhook is disabled', async () => !(await hookNow(id)).enabled);
    expect(await hookNow(id)).toMatchObject({ disabled_reason: 'key_ended' });
    expect(receiver.at(path).length).toBe(2);
    await service.client.delete(`/webhooks/${id}`);
  });

  it('belong to their key, their person and their tenant', async () => {
    const [ann, app, other] = [await keyOf({ end_user_id: 'dan' }), await keyOf(), await keyOf()];
    const uri = (await service.client.post('/cloud/generate_uri', { name: 'neighbour' })).text;
    const stranger = service.as(/:([\w.-]+)@/.exec(uri)?.[1] ?? '');
    const [away, here] = [newPath(), newPath()];
    const [ofAnn, ofApp] = [await make(ann.client, newPath()), await make(app.client, here)];
    const ofStranger = await make(stranger, away);
    const listedBy = async (by: Client): Promise<string[]> =>
      ((await by.get('/webhooks')).json() as Hook[]).map(({ id }) => id);
    expect(await listedBy(ann.client)).toEqual([ofAnn.id]);
    expect(await listedBy(app.client)).toEqual([ofApp.id]);
    expect(await listedBy(other.client)).toEqual([]);
    expect(await listedBy(stranger)).toEqual([ofStranger.id]);
    expect(await listedBy(service.client)).toEqual(expect.arrayContaining([ofAnn.id, ofApp.id]));
    for (const by of [ann.client, other.client, stranger]) {
      for (const [method, rest] of [
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['POST', '/rotate_secret'],
        ['POST', '/test'],
        ['GET', '/deliveries'],
        ['POST', `/deliveries/${ofApp.id}/redeliver`],
      ] as const) {
        const answer = await by.call(method, `/webhooks/${ofApp.id}${rest}`, {
          ...(method === 'PATCH' && { body: { enabled: false } }),
        });
        expect([method, rest, answer.status]).toEqual([method, rest, 404]);
      }
    }
    const id = await ingest(service.client);
    await receiver.next(here, isAbout(id, 'document.completed'));
    expect(receiver.at(away)).toEqual([]);
    const third = await ann.client.post('/webhooks', { url: `${receiver.url}/more` });
    const fourth = await ann.client.post('/webhooks', { url: `${receiver.url}/more` });
    expect([third.status, fourth.status, fourth.text]).toEqual([
      200,
      413,
      expect.stringContaining('This end user may have 2 webhooks'),
    ]);
    const writer = await keyOf({ scopes: ['write'] });
    const blind = await writer.client.post('/webhooks', { url: `${receiver.url}/in` });
    expect([blind.status, blind.text]).toEqual([
      403,
      expect.stringContaining('lacks the permission \\"read\\"'),
    ]);
  });

  it('go with the person who made them, unless what they own is kept', async () => {
    const leave = (query: string): Promise<Answer> => service.client.delete(`/people/leaving?${query}`);
    const { id } = await make((await keyOf({ end_user_id: 'leaving' })).client, newPath());
    expect((await leave('documents=keep')).status).toBe(200);
    const { client: again } = await keyOf({ end_user_id: 'leaving' });
    expect((await again.get(`/webhooks/${id}`)).status).toBe(200);
    expect((await leave('documents=delete')).status).toBe(200);
    const { client: next } = await keyOf({ end_user_id: 'leaving' });
    for (const by of [next, service.client]) expect((await by.get(`/webhooks/${id}`)).status).toBe(404);
  });

  it('sign with both secrets for a while after a rotation', async () => {
    const path = newPath();
    const { id, secret: first } = await make(service.client, path);
    const send = async (): Promise<Received> => {
      const { id: delivery } = (await service.client.post(`/webhooks/${id}/test`)).json() as Delivery;
      return until('a test message', () => receiver.at(path).find((one) => one.id === delivery));
    };
    const rotate = async (query = ''): Promise<Hook & { previous_secret_expires_at: string | null }> =>
      (await service.client.post(`/webhooks/${id}/rotate_secret${query}`)).json() as never;
    const before = await send();
    expect(verified(first, before)).toMatchObject({ type: 'webhook.test', data: { webhook_id: id } });
    const second = await rotate();
    expect(second.previous_secret_expires_at).not.toBeNull();
    const both = await send();
    expect([verified(first, both), verified(second.secret, both)]).toEqual([both.message, both.message]);
    expect(String(both.headers['webhook-signature']).split(' ')).toHaveLength(2);
    const third = await rotate('?previous_expires_in=0');
    expect(third.previous_secret_expires_at).toBeNull();
    const last = await send();
    expect(verified(third.secret, last)).toEqual(last.message);
    expect(() => verified(second.secret, last)).toThrow('No matching signature');
    await service.client.delete(`/webhooks/${id}`);
  });

  it('are disabled by 410 Gone, and go on where they stopped once they are enabled', async () => {
    const path = newPath();
    receiver.react(path, 410, 204);
    const { id } = await make(service.client, path, { types: ['document.completed'] });
    const first = await ingest(service.client);
    await until('the webhook is disabled', async () => !(await hookNow(id)).enabled);
    expect(await hookNow(id)).toMatchObject({ enabled: false, disabled_reason: 'gone' });
    const meanwhile = await ingest(service.client);
    expect((await service.client.post(`/webhooks/${id}/test`)).status).toBe(409);
    const [failed] = await deliveriesOf(id);
    expect(failed).toMatchObject({ status: 'failed', document_id: first, last_status_code: 410 });
    expect(receiver.at(path)).toHaveLength(1);
    const enabled = await service.client.call('PATCH', `/webhooks/${id}`, { body: { enabled: true } });
    expect(enabled.json()).toMatchObject({ enabled: true, disabled_reason: null, disabled_at: null });
    await receiver.next(path, isAbout(meanwhile, 'document.completed'));
    const again = await service.client.post(`/webhooks/${id}/deliveries/${failed?.id}/redeliver`);
    expect(again.json()).toMatchObject({ id: failed?.id, status: 'waiting', attempts: 0 });
    await until(
      'the delivery is repeated',
      () => receiver.at(path).filter((one) => one.id === failed?.id).length === 2,
    );
    await delivered(id, (one) => one.id === failed?.id && one.status === 'delivered');
    await service.client.delete(`/webhooks/${id}`);
    expect((await service.client.get(`/webhooks/${id}`)).status).toBe(404);
  });

  it('take changes, and keep what a change does not name', async () => {
    const path = newPath();
    const made = await service.client.post(
      '/webhooks',
      `{"url": "${receiver.url}${newPath()}", "filters": {"size": {"$gt": 12345678901234567890}}, "description": "A"}`,
    );
    const { id } = made.json() as Hook;
    expect(made.text).toContain('{"$gt":12345678901234567890}');
    const change = async (body: object): Promise<unknown> =>
      (await service.client.call('PATCH', `/webhooks/${id}`, { body })).json();
    expect(await change({ url: receiver.url + path })).toMatchObject({
      url: receiver.url + path,
      description: 'A',
    });
    expect(await change({ filters: null, folder_name: '/nest' })).toMatchObject({
      filters: null,
      folder_name: ['/nest'],
      description: 'A',
    });
    expect(await change({ enabled: false })).toMatchObject({ enabled: false, disabled_reason: null });
    expect(await change({ types: [] })).toMatchObject({ detail: [{ loc: ['body', 'types'] }] });
    await service.client.delete(`/webhooks/${id}`);
  });

  it('are made, tried and read by the TypeScript client', async () => {
    const { webhooks } = new LecternClient({ url: service.url, key: service.adminKey });
    const path = newPath();
    const { id, secret } = await webhooks.create({ url: receiver.url + path, types: ['document.failed'] });
    expect((await webhooks.list()).map((one) => one.id)).toContain(id);
    const { id: sent } = await webhooks.test(id);
    const { message } = await receiver.next(path, ({ type }) => type === 'webhook.test');
    expect(message satisfies Message).toMatchObject({ data: { webhook_id: id } });
    await until('it is delivered', async () => {
      const { deliveries } = await webhooks.deliveries(id, { status: ['delivered'], limit: 1 });
      return deliveries[0]?.id === sent;
    });
    expect((await webhooks.redeliver(id, sent)).status).toBe('waiting');
    expect((await webhooks.rotateSecret(id, { previous_expires_in: 60 })).secret).not.toBe(secret);
    expect((await webhooks.change(id, { enabled: false })).enabled).toBe(false);
    expect((await webhooks.get(id)).disabled_at).not.toBeNull();
    await webhooks.delete(id);
  });

  it('are verified by the receiver of the guide', async () => {
    const [, code = ''] = /```js\n(.*?)^```$/ms.exec(readFileSync('docs/guide/webhooks.md', 'utf8')) ?? [];
    await mkdir('node_modules/.cache', { recursive: true });
    const folder = await mkdtemp('node_modules/.cache/webhooks-');
    await writeFile(join(folder, 'receiver.mjs'), code);
    const url = `http://127.0.0.1:${guidePort}/hooks/lectern`;
    const { id, secret } = (await service.client.post('/webhooks', { url })).json() as Hook;
    const child = spawn(process.execPath, [join(folder, 'receiver.mjs')], {
      env: { ...process.env, PORT: String(guidePort), LECTERN_WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (part: Buffer) => (output += String(part)));
    const document = await ingest(service.client);
    await until('the receiver has the document', () => output.includes(`ready: ${document}`));
    const forged = await fetch(url, { method: 'POST', body: '{"type":"document.completed"}' });
    expect(forged.status).toBe(401);
    child.kill();
    await rm(folder, { recursive: true });
    await service.client.delete(`/webhooks/${id}`);
  });

  it('refuse an Idempotency-Key where the answer has a secret', async () => {
    const answer = await service.client.post(
      '/webhooks',
      { url: `${receiver.url}/in` },
      { headers: { 'idempotency-key': 'once' } },
    );
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('has a secret')]);
  });

  // Last, because it waits for the end of what began above.
  it('give up a receiver that does not answer', async () => {
    const silence = 'No answer within 15 seconds';
    const late = await delivered(slowHook, ({ last_error }) => last_error === silence);
    expect(late).toMatchObject({ status: 'waiting', last_status_code: null });
    await service.client.delete(`/webhooks/${slowHook}`);
  });

  // The embedded database serves one process.
  onServer('of two services on one database', () => {
    let second: ServiceProcess;
    beforeAll(() => {
      second = ServiceProcess.spawn(service.environment);
    });
    afterAll(() => second.kill('SIGTERM'));

    it('deliver each event once', async () => {
      const other = new Client(await second.url(), service.adminKey);
      const path = newPath();
      const { id } = await make(service.client, path, { types: ['document.created', 'document.completed'] });
      const documents = await Promise.all(
        Array.from({ length: 30 }, (_, at) => ingest(at % 2 === 0 ? service.client : other)),
      );
      for (const one of documents) await receiver.next(path, isAbout(one, 'document.completed'));
      await until('all deliveries', async () => (await deliveriesOf(id, '?status=waiting')).length === 0);
      const told = receiver
        .at(path)
        .map(({ message }) => `${message.type} ${String(message.data?.['document_id'])}`);
      expect(told.length).toBe(60);
      expect(new Set(told).size).toBe(60);
      await service.client.delete(`/webhooks/${id}`);
    });
  });
});
