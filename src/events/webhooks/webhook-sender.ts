import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { DocumentEventRepository } from '../../corpus/document-event.repository.js';
import { Sweep } from '../../database/sweep.js';
import { ObjectStore } from '../../storage/object-store.js';
import { webhookAttempts } from '../../telemetry/metrics.js';
import { documentEvent } from '../document-event.js';
import { KEPT_HOURS } from '../kept-hours.js';
import { type AttemptOutcome, type ClaimedDelivery, DeliveryRepository } from './delivery.repository.js';
import { delayAfter } from './retry-schedule.js';
import type { DisabledReason, WebhookEntity } from './webhook.entity.js';
import { WebhookPost, type Posted } from './webhook-post.js';
import { WebhookRepository, type WebhookReference } from './webhook.repository.js';
import { selectionOf, WebhookRights } from './webhook-rights.js';
import { WebhookSecrets } from './webhook-secrets.js';

/** Milliseconds between two looks for deliveries that are due. */
const LOOK_MS = 1_000;

/** Maximum number of attempts at once: of the process, of a webhook, and of one whose receiver fails. */
const IN_ALL = 16;
const PER_WEBHOOK = 4;
const WHILE_FAILING = 1;

/** Milliseconds for which a stop waits for running attempts. */
const STOP_MS = 3_000;

const GONE = 410;

const DROPPED = 'The document can no longer be read by the key that made the webhook';

/** Sends deliveries that are due. Each is claimed by one process. */
@Injectable()
export class WebhookSender extends Sweep {
  /** Running attempts by webhook. */
  private readonly inFlight = new Map<string, number>();
  private readonly abandoned = new AbortController();

  constructor(
    @Inject(SETTINGS) settings: Settings,
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly events: DocumentEventRepository,
    private readonly rights: WebhookRights,
    private readonly secrets: WebhookSecrets,
    private readonly post: WebhookPost,
    private readonly objects: ObjectStore,
  ) {
    super(settings, 'cannot look for deliveries of webhooks', LOOK_MS);
  }

  override async beforeApplicationShutdown(): Promise<void> {
    const timer = setTimeout(() => {
      this.abandoned.abort();
    }, STOP_MS);
    await super.beforeApplicationShutdown();
    clearTimeout(timer);
  }

  async sweep(): Promise<void> {
    const due = await this.deliveries.due();
    // A copy of the database must not send what the original sends.
    if (due.length === 0 || (await this.objects.changeability(LOOK_MS)) === 'forbidden') return;
    for (const webhook of due) {
      const most = webhook.isFailing ? WHILE_FAILING : PER_WEBHOOK;
      const room = Math.min(most - (this.inFlight.get(webhook.webhookId) ?? 0), IN_ALL - this.total());
      if (room <= 0 || this.stopping.aborted) continue;
      for (const delivery of await this.deliveries.claim(webhook, room)) this.begin(delivery);
    }
  }

  /** Disables a webhook. */
  async disable(webhook: WebhookReference, reason: DisabledReason): Promise<void> {
    if (!(await this.webhooks.disable(webhook, reason))) return;
    this.logger.warn({ webhook: webhook.webhookId, reason }, 'a webhook was disabled');
  }

  private begin(delivery: ClaimedDelivery): void {
    const { webhookId, deliveryId } = delivery;
    this.inFlight.set(webhookId, (this.inFlight.get(webhookId) ?? 0) + 1);
    void this.inBackground(deliveryId, async () => {
      try {
        await this.deliver(delivery);
      } catch (error) {
        this.logger.error(
          { err: error, delivery: deliveryId },
          'cannot finish an attempt; trying again later',
        );
      } finally {
        const left = (this.inFlight.get(webhookId) ?? 1) - 1;
        if (left > 0) this.inFlight.set(webhookId, left);
        else this.inFlight.delete(webhookId);
        this.soon();
      }
    });
  }

  private total(): number {
    return [...this.inFlight.values()].reduce((sum, count) => sum + count, 0);
  }

  private async deliver(delivery: ClaimedDelivery): Promise<void> {
    const webhook = await this.webhooks.findEnabled(delivery);
    if (webhook === undefined) return this.deliveries.release(delivery);
    const scope = await this.rights.scopeOf(webhook);
    if (scope === undefined) return this.halt(webhook, delivery, 'key_ended');
    const body = await this.bodyOf(webhook, scope, delivery);
    if (body === null) {
      webhookAttempts.inc({ outcome: 'dropped' });
      const dropped = { state: 'dropped', delaySeconds: null, statusCode: null, error: DROPPED } as const;
      return this.deliveries.settle(delivery, dropped);
    }
    const headers = this.secrets.headersOf(webhook, delivery.deliveryId, body);
    if (headers === null) return this.halt(webhook, delivery, 'secret_unreadable');
    let posted: Posted;
    try {
      posted = await this.post.send(webhook.url, headers, body, this.abandoned.signal);
    } catch (error) {
      if (!this.abandoned.signal.aborted) throw error;
      return this.deliveries.release(delivery);
    }
    await this.record(webhook, delivery, posted);
  }

  private async halt(
    webhook: WebhookEntity,
    delivery: ClaimedDelivery,
    reason: DisabledReason,
  ): Promise<void> {
    await this.deliveries.release(delivery);
    await this.disable(webhook, reason);
  }

  private async record(webhook: WebhookEntity, delivery: ClaimedDelivery, posted: Posted): Promise<void> {
    const { status, error, waitMs } = posted;
    const isDelivered = status !== null && status >= 200 && status < 300;
    const delaySeconds = isDelivered || status === GONE ? null : delayAfter(delivery.attempts, waitMs);
    const state = isDelivered ? 'delivered' : delaySeconds === null ? 'failed' : 'waiting';
    const outcome: AttemptOutcome = { state, delaySeconds, statusCode: status, error };
    await this.deliveries.settle(delivery, outcome);
    await this.webhooks.setFailing(webhook, !isDelivered);
    webhookAttempts.inc({ outcome: state === 'waiting' ? 'retried' : state });
    if (isDelivered) return;
    const { webhookId } = webhook;
    this.logger.debug({ webhook: webhookId, delivery: delivery.deliveryId, status, error }, 'not delivered');
    if (status === GONE) await this.disable(webhook, 'gone');
    else if (state === 'failed' && isFailingForLong(webhook)) await this.disable(webhook, 'failing');
  }

  /** Returns the message; null if it may not, or can no longer, be told. */
  private async bodyOf(
    webhook: WebhookEntity,
    scope: Scope,
    { type, xid, seq, documentId, happenedAt }: ClaimedDelivery,
  ): Promise<string | null> {
    if (xid === null || seq === null || documentId === null) {
      const data = type === 'webhook.test' ? { data: { webhook_id: webhook.webhookId } } : {};
      return JSON.stringify({ type, timestamp: happenedAt.toISOString(), ...data });
    }
    const position = { xid: BigInt(xid), seq: BigInt(seq) };
    const event = await this.events.find(scope, selectionOf(webhook), position, documentId);
    return event === undefined ? null : JSON.stringify(documentEvent(event));
  }
}

/** Whether nothing was delivered for as long as events are kept. */
function isFailingForLong({ failingSince }: WebhookEntity): boolean {
  return failingSince !== null && Date.now() - failingSince.getTime() > KEPT_HOURS * 3_600_000;
}
