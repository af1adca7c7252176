import { Inject, Injectable } from '@nestjs/common';
import { shardIds } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { DocumentEventRepository, type EventPosition } from '../../corpus/document-event.repository.js';
import { Sweep } from '../../database/sweep.js';
import { pause } from '../../request/pause.js';
import { END_OF_TRANSACTION } from '../document-event.js';
import { EventFeed, type Subscription } from '../event-feed.js';
import type { WebhookEntity } from './webhook.entity.js';
import { type FollowedWebhook, WebhookRepository } from './webhook.repository.js';
import { selectionOf, WebhookRights } from './webhook-rights.js';
import { WebhookSender } from './webhook-sender.js';

/** Milliseconds between two looks for webhooks that others have made, changed or deleted. */
const LOOK_MS = 5_000;

/** Milliseconds after which a failed follower tries again. */
const AGAIN_MS = 2_000;

interface Follower {
  readonly stop: AbortController;
  readonly shards: number;
}

/**
 * Turns events of documents into deliveries, for every enabled webhook. All processes with a worker follow all webhooks;
 * the first that moves a webhook behind an event makes its delivery.
 */
@Injectable()
export class WebhookFollowers extends Sweep {
  private readonly followers = new Map<string, Follower>();

  constructor(
    @Inject(SETTINGS) settings: Settings,
    private readonly webhooks: WebhookRepository,
    private readonly events: DocumentEventRepository,
    private readonly feed: EventFeed,
    private readonly rights: WebhookRights,
    private readonly sender: WebhookSender,
  ) {
    super(settings, 'cannot list webhooks', LOOK_MS);
  }

  override async beforeApplicationShutdown(): Promise<void> {
    for (const { stop } of this.followers.values()) stop.abort();
    await super.beforeApplicationShutdown();
  }

  async sweep(): Promise<void> {
    const wanted = new Map((await this.webhooks.followed()).map((one) => [keyOf(one), one]));
    for (const [key, { stop, shards }] of this.followers) {
      if (wanted.get(key)?.shards !== shards) stop.abort();
    }
    for (const [key, webhook] of wanted) this.start(key, webhook);
  }

  private start(key: string, webhook: FollowedWebhook): void {
    if (this.followers.has(key) || this.stopping.aborted) return;
    const stop = new AbortController();
    this.followers.set(key, { stop, shards: webhook.shards });
    void this.inBackground(key, async () => {
      try {
        await this.follow(webhook, stop.signal);
      } finally {
        this.followers.delete(key);
      }
    });
  }

  /** Follows a webhook until `signal` aborts, or the webhook is disabled or deleted. */
  private async follow(webhook: FollowedWebhook, signal: AbortSignal): Promise<void> {
    let subscription: Subscription | undefined;
    try {
      while (!signal.aborted) {
        try {
          subscription ??= await this.feed.subscribe(shardIds(webhook));
          await subscription.news(signal);
          if (!(await this.deliverNews(webhook, signal))) return;
        } catch (error) {
          this.logger.warn({ err: error, webhook: webhook.webhookId }, 'cannot read events; trying again');
          subscription?.notify();
          await pause(AGAIN_MS, signal);
        }
      }
    } finally {
      subscription?.close();
    }
  }

  /** @returns false if the webhook is disabled or deleted */
  private async deliverNews(reference: FollowedWebhook, signal: AbortSignal): Promise<boolean> {
    for (let isFull = true; isFull && !signal.aborted;) {
      const webhook = await this.webhooks.findEnabled(reference);
      if (webhook === undefined) return false;
      const scope = await this.rights.scopeOf(webhook);
      if (scope === undefined) {
        await this.sender.disable(webhook, 'key_ended');
        return false;
      }
      const from = positionOf(webhook);
      const now = await this.events.horizon();
      if (!(await this.events.reaches(from, now))) {
        const end = { xid: now - 1n, seq: END_OF_TRANSACTION };
        if (await this.webhooks.advance(webhook, from, end, [], true)) this.sender.soon();
        continue;
      }
      const page = await this.events.after(scope, selectionOf(webhook), from, this.feed.horizon);
      const told = page.events.filter(({ type }) => webhook.types.includes(type));
      if (page.last !== null && (await this.webhooks.advance(webhook, from, page.last, told))) {
        if (told.length > 0) this.sender.soon();
      }
      isFull = page.isFull;
    }
    return true;
  }
}

function keyOf({ appId, webhookId }: FollowedWebhook): string {
  return `${webhookId} ${appId}`;
}

function positionOf({ xid, seq }: Pick<WebhookEntity, 'xid' | 'seq'>): EventPosition {
  return { xid: BigInt(xid), seq: BigInt(seq) };
}
