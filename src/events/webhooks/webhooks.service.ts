import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { Authenticator } from '../../auth/authenticator.js';
import type { Scope } from '../../auth/scope.js';
import { DocumentEventRepository } from '../../corpus/document-event.repository.js';
import { Conflict, Forbidden, NotFound } from '../../errors/index.js';
import { Quotas } from '../../quotas/quotas.service.js';
import { END_OF_TRANSACTION } from '../document-event.js';
import { type DeliveryPage, DeliveryRepository } from './delivery.repository.js';
import type { WebhookDeliveryEntity, WebhookEntity } from './webhook.entity.js';
import { WebhookFollowers } from './webhook-followers.js';
import { WebhookPost } from './webhook-post.js';
import { type WebhookChange, WebhookRepository } from './webhook.repository.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookSender } from './webhook-sender.js';

/** What a caller says of a new webhook. */
export type WebhookWish = Required<Omit<WebhookChange, 'enabled'>>;

/** A webhook with its secret, which is shown once. */
export interface IssuedWebhook {
  readonly webhook: WebhookEntity;
  readonly secret: string;
}

/** Keeps the webhooks of a tenant. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly events: DocumentEventRepository,
    private readonly authenticator: Authenticator,
    private readonly quotas: Quotas,
    private readonly secrets: WebhookSecrets,
    private readonly post: WebhookPost,
    private readonly followers: WebhookFollowers,
    private readonly sender: WebhookSender,
  ) {}

  /**
   * Makes a webhook. It tells at most what the caller may read, at each moment, and ends with the caller's key.
   * @throws Invalid for an address to which no webhook may send; Forbidden for a key that may not read, and for an access
   * token; PayloadTooLarge beyond the quota
   */
  async create(scope: Scope, wish: WebhookWish): Promise<IssuedWebhook> {
    if (!scope.permissions.has('read')) {
      throw new Forbidden(
        'The API key lacks the permission "read", and a webhook tells at most what its key may read',
      );
    }
    if (scope.lent !== undefined) {
      throw new Forbidden(
        'A webhook ends with the key that made it: an access token ends too soon, use an API key',
      );
    }
    await this.post.requireAllowed(wish.url);
    const { appId, keyId, endUserId } = scope;
    const webhookId = randomUUID();
    const { secret, sealed } = this.secrets.make(appId, webhookId);
    const horizon = await this.events.horizon();
    await this.webhooks.transaction(async (manager) => {
      await this.webhooks.insert(manager, {
        ...wish,
        appId,
        webhookId,
        keyId,
        owner: endUserId === null ? null : `user:${endUserId}`,
        holder: this.authenticator.holderOf(scope),
        secret: sealed,
        xid: String(horizon - 1n),
        seq: String(END_OF_TRANSACTION),
      });
      await this.quotas.take(manager, scope, 'webhooks', 1);
    });
    this.followers.soon();
    return { webhook: await this.get(scope, webhookId), secret };
  }

  list(scope: Scope): Promise<WebhookEntity[]> {
    return this.webhooks.list(scope);
  }

  /** @throws NotFound for a webhook that the caller may not see */
  async get(scope: Scope, webhookId: string): Promise<WebhookEntity> {
    const found = isUuid(webhookId) ? await this.webhooks.find(scope, webhookId) : undefined;
    if (found === undefined) throw new NotFound('Webhook not found');
    return found;
  }

  /** @throws NotFound; Invalid for an address to which no webhook may send */
  async change(scope: Scope, webhookId: string, change: WebhookChange): Promise<WebhookEntity> {
    const webhook = await this.get(scope, webhookId);
    if (change.url !== undefined) await this.post.requireAllowed(change.url);
    const { enabled, ...others } = change;
    // An unchanged state keeps its time and reason.
    const state = enabled === undefined || enabled === webhook.enabled ? {} : { enabled };
    const given = { ...others, ...state };
    if (Object.keys(given).length > 0) await this.webhooks.change(webhook, given);
    this.followers.soon();
    this.sender.soon();
    return this.get(scope, webhookId);
  }

  async delete(scope: Scope, webhookId: string): Promise<void> {
    await this.webhooks.delete(await this.get(scope, webhookId));
    this.followers.soon();
  }

  /** Replaces the secret. @param seconds for which the one before signs too */
  async rotate(scope: Scope, webhookId: string, seconds: number): Promise<IssuedWebhook> {
    const webhook = await this.get(scope, webhookId);
    const { secret, sealed } = this.secrets.make(webhook.appId, webhook.webhookId);
    await this.webhooks.rotate(webhook, sealed, seconds);
    return { webhook: await this.get(scope, webhookId), secret };
  }

  /** Sends a test message. @throws NotFound; Conflict for a disabled webhook */
  async test(scope: Scope, webhookId: string): Promise<WebhookDeliveryEntity> {
    const webhook = await this.enabled(scope, webhookId);
    const delivery = await this.deliveries.addTest(webhook);
    this.sender.soon();
    return delivery;
  }

  async listDeliveries(
    scope: Scope,
    webhookId: string,
    page: DeliveryPage,
  ): Promise<WebhookDeliveryEntity[]> {
    return this.deliveries.list(await this.get(scope, webhookId), page);
  }

  /** Sends a delivery again, with all attempts. @throws NotFound; Conflict for a disabled webhook */
  async redeliver(scope: Scope, webhookId: string, deliveryId: string): Promise<WebhookDeliveryEntity> {
    const webhook = await this.enabled(scope, webhookId);
    const find = async (): Promise<WebhookDeliveryEntity> => {
      const found = isUuid(deliveryId) ? await this.deliveries.find(webhook, deliveryId) : undefined;
      if (found === undefined) throw new NotFound('Delivery not found');
      return found;
    };
    await this.deliveries.repeat(await find());
    this.sender.soon();
    return find();
  }

  private async enabled(scope: Scope, webhookId: string): Promise<WebhookEntity> {
    const webhook = await this.get(scope, webhookId);
    if (!webhook.enabled) throw new Conflict('The webhook is disabled: enable it first');
    return webhook;
  }
}
