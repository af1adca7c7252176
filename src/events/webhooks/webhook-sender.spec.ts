import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { settingsWith } from '../../../test/support/settings.js';
import { until } from '../../../test/support/until.js';
import { WebhookReceiver } from '../../../test/support/webhook-receiver.js';
import { scopeOf } from '../../auth/scope.js';
import { SigningSecret } from '../../auth/signing-secret.js';
import { DocumentEventRepository } from '../../corpus/document-event.repository.js';
import type { Changeability, ObjectStore } from '../../storage/object-store.js';
import { EventFeed } from '../event-feed.js';
import { DeliveryRepository } from './delivery.repository.js';
import type { WebhookDeliveryEntity, WebhookEntity } from './webhook.entity.js';
import { WebhookFollowers } from './webhook-followers.js';
import { WebhookPost } from './webhook-post.js';
import { WebhookRepository } from './webhook.repository.js';
import type { WebhookRights } from './webhook-rights.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookSender } from './webhook-sender.js';

const APP = 'acme';
const DAY = 86_400_000;

describe('the sender of webhooks', () => {
  let database: TestDatabase;
  let receiver: WebhookReceiver;
  let webhooks: WebhookRepository;
  let deliveries: DeliveryRepository;
  let sender: WebhookSender;
  let store: Changeability;
  let works: boolean;
  const secrets = new WebhookSecrets(new SigningSecret('a secret of more than thirty-two bytes'));

  const rights = {
    scopeOf: () => Promise.resolve(works ? scopeOf(APP, ['admin'], 'k') : undefined),
  } as unknown as WebhookRights;
  const senderWith = (signing: WebhookSecrets): WebhookSender =>
    new WebhookSender(
      settingsWith(),
      webhooks,
      deliveries,
      new DocumentEventRepository(database.dataSource),
      rights,
      signing,
      new WebhookPost({ WEBHOOK_ALLOWED_BASES: [receiver.url] }),
      { changeability: () => Promise.resolve(store) } as unknown as ObjectStore,
    );

  beforeAll(async () => {
    database = await openTestDatabase();
    receiver = await WebhookReceiver.start();
    webhooks = new WebhookRepository(database.dataSource);
    deliveries = new DeliveryRepository(database.dataSource);
    await database.dataSource.query(`insert into apps (app_id, name) values ($1, $1)`, [APP]);
  }, 60_000);
  afterAll(async () => {
    await receiver.close();
    await database.close();
  });
  beforeEach(() => {
    for (const level of ['warn', 'debug'] as const) {
      jest.spyOn(Logger.prototype, level).mockReturnValue(undefined);
    }
    store = 'allowed';
    works = true;
    sender = senderWith(secrets);
  });
  afterEach(async () => {
    await sender.beforeApplicationShutdown();
    await database.dataSource.query('delete from webhooks where app_id = $1', [APP]);
    jest.restoreAllMocks();
  });

  const make = async (more: Partial<WebhookEntity> = {}): Promise<WebhookEntity & { path: string }> => {
    const webhookId = randomUUID();
    const path = `/${webhookId}`;
    await webhooks.transaction((manager) =>
      webhooks.insert(manager, {
        appId: APP,
        webhookId,
        keyId: 'k',
        owner: null,
        holder: { keyId: 'k', endUserId: null, reach: 'all' },
        url: receiver.url + path,
        description: null,
        types: ['document.created'],
        folders: null,
        folderDepth: 0,
        filter: null,
        endUserId: null,
        secret: secrets.make(APP, webhookId).sealed,
        xid: '1',
        seq: '1',
        ...more,
      }),
    );
    return Object.assign(await now(webhookId), { path });
  };
  const now = async (id: string): Promise<WebhookEntity> => {
    const found = await webhooks.find(scopeOf(APP, ['admin'], 'k'), id);
    if (found === undefined) throw new Error('no webhook');
    return found;
  };
  const stateOf = async ({ deliveryId }: WebhookDeliveryEntity, webhook: WebhookEntity) => {
    const found = await deliveries.find(webhook, deliveryId);
    if (found === undefined) throw new Error('no delivery');
    return found;
  };
  const set = (table: string, id: string, change: string): Promise<unknown> =>
    database.dataSource.query(
      `update ${table} set ${change} where app_id = $1 and ${table === 'webhooks' ? 'webhook' : 'delivery'}_id = $2`,
      [APP, id],
    );
  const settled = (delivery: WebhookDeliveryEntity, webhook: WebhookEntity) =>
    until('the delivery is settled', async () => {
      const state = await stateOf(delivery, webhook);
      return (state.lastStatusCode !== null || state.state !== 'waiting') && state;
    });

  it.each([
    [4 * DAY, false, 'failing'],
    [2 * DAY, true, null],
  ])('after the last attempt of a receiver that has failed for %i ms', async (since, enabled, reason) => {
    const webhook = await make();
    receiver.react(webhook.path, 500);
    const delivery = await deliveries.addTest(webhook);
    await set('webhooks', webhook.webhookId, `failing_since = now() - interval '${since} milliseconds'`);
    await set('webhook_deliveries', delivery.deliveryId, 'attempts = 7');
    await sender.sweep();
    expect(await settled(delivery, webhook)).toMatchObject({
      state: 'failed',
      attempts: 8,
      nextAttemptAt: null,
      lastStatusCode: 500,
    });
    if (!enabled) await until('it is disabled', async () => !(await now(webhook.webhookId)).enabled);
    expect(await now(webhook.webhookId)).toMatchObject({ enabled, disabledReason: reason });
  });

  it('waits as long as the receiver asks', async () => {
    const webhook = await make();
    receiver.react(webhook.path, 503);
    receiver.retryAfter = 600;
    const delivery = await deliveries.addTest(webhook);
    await sender.sweep();
    const { nextAttemptAt, lastAttemptAt } = await settled(delivery, webhook);
    expect(Number(nextAttemptAt) - Number(lastAttemptAt)).toBeGreaterThanOrEqual(600_000);
    receiver.retryAfter = null;
  });

  it('disables a webhook whose secret cannot be read, and keeps the delivery', async () => {
    const webhook = await make();
    const delivery = await deliveries.addTest(webhook);
    const other = senderWith(
      new WebhookSecrets(new SigningSecret('another secret of thirty-two bytes or more')),
    );
    await other.sweep();
    await until('it is disabled', async () => !(await now(webhook.webhookId)).enabled);
    expect(await now(webhook.webhookId)).toMatchObject({ disabledReason: 'secret_unreadable' });
    expect(await stateOf(delivery, webhook)).toMatchObject({ state: 'waiting', attempts: 0 });
    expect(receiver.at(webhook.path)).toEqual([]);
    await other.beforeApplicationShutdown();
  });

  it('sends nothing for a key that has ended', async () => {
    const webhook = await make();
    works = false;
    await deliveries.addTest(webhook);
    await sender.sweep();
    await until('it is disabled', async () => !(await now(webhook.webhookId)).enabled);
    expect(await now(webhook.webhookId)).toMatchObject({ disabledReason: 'key_ended' });
    expect(receiver.at(webhook.path)).toEqual([]);
  });

  it('sends nothing from a copy of a database', async () => {
    const webhook = await make();
    store = 'forbidden';
    const delivery = await deliveries.addTest(webhook);
    await sender.sweep();
    expect(await stateOf(delivery, webhook)).toMatchObject({ state: 'waiting', attempts: 0 });
    store = 'unknown';
    await sender.sweep();
    await settled(delivery, webhook);
  });

  it('makes four attempts at once, and one while the receiver fails', async () => {
    const [sound, failing] = [await make(), await make()];
    await set('webhooks', failing.webhookId, 'failing_since = now()');
    for (const webhook of [sound, failing]) {
      receiver.react(webhook.path, 'none');
      for (let i = 0; i < 6; i += 1) await deliveries.addTest(webhook);
    }
    await sender.sweep();
    await sender.sweep();
    await until('the attempts have begun', () => receiver.at(sound.path).length >= 4);
    await until('the attempt has begun', () => receiver.at(failing.path).length >= 1);
    expect([receiver.at(sound.path).length, receiver.at(failing.path).length]).toEqual([4, 1]);
    // The stop gives up running attempts, and they do not count.
    await sender.beforeApplicationShutdown();
    const states = await deliveries.list(sound, { states: null, before: null, limit: 10 });
    expect(states.map(({ state, attempts }) => [state, attempts])).toEqual(Array(6).fill(['waiting', 0]));
  });

  it('does not record an attempt that was overtaken by a repetition', async () => {
    const webhook = await make();
    const delivery = await deliveries.addTest(webhook);
    const [claimed] = await deliveries.claim(webhook, 1);
    if (claimed === undefined) throw new Error('nothing was claimed');
    expect(await deliveries.claim(webhook, 1)).toEqual([]);
    await deliveries.repeat(delivery);
    await deliveries.settle(claimed, { state: 'failed', delaySeconds: null, statusCode: 500, error: null });
    expect(await stateOf(delivery, webhook)).toMatchObject({ state: 'waiting', attempts: 0 });
  });

  it('forgets deliveries of old events', async () => {
    const webhook = await make();
    const [old, young] = [await deliveries.addTest(webhook), await deliveries.addTest(webhook)];
    await set('webhook_deliveries', old.deliveryId, `happened_at = now() - interval '73 hours'`);
    await deliveries.sweep(72);
    const left = await deliveries.list(webhook, { states: null, before: null, limit: 10 });
    expect(left.map(({ deliveryId }) => deliveryId)).toEqual([young.deliveryId]);
  });

  it('tells first that events are missing', async () => {
    const events = new DocumentEventRepository(database.dataSource);
    await database.dataSource.query(
      `insert into service_state (name, value) values ('document_events_swept', '"5"')
       on conflict (name) do update set value = excluded.value`,
    );
    const [behind, level] = [await make(), await make({ xid: '5' })];
    const feed = new EventFeed(events);
    const followers = new WebhookFollowers(settingsWith(), webhooks, events, feed, rights, sender);
    await followers.sweep();
    await until('the webhook has moved on', async () => (await now(behind.webhookId)).xid !== '1');
    const page = { states: null, before: null, limit: 10 };
    expect((await deliveries.list(behind, page)).map(({ type }) => type)).toEqual(['stream.reset']);
    expect(await deliveries.list(level, page)).toEqual([]);
    await sender.sweep();
    const { message } = await receiver.next(behind.path, ({ type }) => type === 'stream.reset');
    expect(message).toEqual({ type: 'stream.reset', timestamp: expect.any(String) as string });
    feed.beforeApplicationShutdown();
    await followers.beforeApplicationShutdown();
  });
});
