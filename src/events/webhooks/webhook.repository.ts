import { Injectable } from '@nestjs/common';
import sql, { empty, type Sql } from 'sql-template-tag';
import { DataSource, type EntityManager } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import type { EventPosition, StoredEvent } from '../../corpus/document-event.repository.js';
import { run } from '../../database/run.js';
import { insertDeliveries } from './delivery-rows.js';
import { type DisabledReason, WebhookEntity } from './webhook.entity.js';

/** Identifies a webhook. */
export type WebhookReference = Pick<WebhookEntity, 'appId' | 'webhookId'>;

/** A webhook that may have something to send, with the number of shards of its tenant. */
export interface FollowedWebhook extends WebhookReference {
  readonly shards: number;
}

/** What a caller may change. Absent members stay. */
export type WebhookChange = Partial<
  Pick<
    WebhookEntity,
    'url' | 'description' | 'types' | 'folders' | 'folderDepth' | 'filter' | 'endUserId' | 'enabled'
  >
>;

export type NewWebhook = Omit<
  WebhookEntity,
  | 'previousSecret'
  | 'previousSecretUntil'
  | 'enabled'
  | 'disabledAt'
  | 'disabledReason'
  | 'failingSince'
  | 'createdAt'
  | 'updatedAt'
>;

/**
 * Condition on a row `w` of `webhooks`: the caller may see and change it. An administrator without a person reaches all
 * webhooks of the tenant, a person those that were made for this person, and an application those that its key made.
 */
function reaches({ permissions, reach, endUserId, keyId }: Scope): Sql {
  if (reach === 'all' && permissions.has('admin')) return empty;
  return endUserId === null ? sql` and w.key_id = ${keyId}` : sql` and w.owner = ${`user:${endUserId}`}`;
}

/** Stores webhooks. */
@Injectable()
export class WebhookRepository {
  constructor(private readonly dataSource: DataSource) {}

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }

  async insert(manager: EntityManager, webhook: NewWebhook): Promise<void> {
    await manager.insert(WebhookEntity, webhook);
  }

  async list(scope: Scope): Promise<WebhookEntity[]> {
    return this.select(sql`w.app_id = ${scope.appId}${reaches(scope)} order by w.created_at, w.webhook_id`);
  }

  /** @param webhookId a UUID */
  async find(scope: Scope, webhookId: string): Promise<WebhookEntity | undefined> {
    const [found] = await this.select(
      sql`w.app_id = ${scope.appId} and w.webhook_id = ${webhookId}::uuid${reaches(scope)}`,
    );
    return found;
  }

  /** Returns a webhook for the service itself, if it is enabled. */
  async findEnabled({ appId, webhookId }: WebhookReference): Promise<WebhookEntity | undefined> {
    const [found] = await this.select(
      sql`w.app_id = ${appId} and w.webhook_id = ${webhookId}::uuid and w.enabled`,
    );
    return found;
  }

  private async select(condition: Sql): Promise<WebhookEntity[]> {
    const rows = await run<WebhookRow>(this.dataSource, sql`select w.* from webhooks w where ${condition}`);
    return rows.map(entityOf);
  }

  async change({ appId, webhookId }: WebhookReference, change: WebhookChange): Promise<void> {
    const { enabled } = change;
    await this.dataSource.manager.update(
      WebhookEntity,
      { appId, webhookId },
      {
        ...change,
        ...(enabled === true && { disabledAt: null, disabledReason: null, failingSince: null }),
        ...(enabled === false && { disabledAt: () => 'now()', disabledReason: null }),
      },
    );
  }

  async delete({ appId, webhookId }: WebhookReference): Promise<void> {
    await this.dataSource.manager.delete(WebhookEntity, { appId, webhookId });
  }

  /** Replaces the secret. The one before signs for `seconds` more. @returns until when it does; null: it does not */
  async rotate(
    { appId, webhookId }: WebhookReference,
    sealed: string,
    seconds: number,
  ): Promise<Date | null> {
    const [row] = await run<{ until: Date | null }>(
      this.dataSource,
      sql`update webhooks w set secret = ${sealed}, updated_at = statement_timestamp(),
            previous_secret = case when ${seconds}::float8 > 0 then w.secret end,
            previous_secret_until =
              case when ${seconds}::float8 > 0 then statement_timestamp() + make_interval(secs => ${seconds}::float8) end
          where w.app_id = ${appId} and w.webhook_id = ${webhookId}::uuid
          returning w.previous_secret_until as until`,
    );
    return row?.until ?? null;
  }

  /** Disables an enabled webhook. @returns whether it was enabled */
  async disable({ appId, webhookId }: WebhookReference, reason: DisabledReason): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`update webhooks w set enabled = false, disabled_at = statement_timestamp(), disabled_reason = ${reason}
          where w.app_id = ${appId} and w.webhook_id = ${webhookId}::uuid and w.enabled returning w.webhook_id`,
    );
    return rows.length > 0;
  }

  /** Records whether the receiver takes what it is sent. */
  async setFailing({ appId, webhookId }: WebhookReference, isFailing: boolean): Promise<void> {
    await run(
      this.dataSource,
      isFailing
        ? sql`update webhooks w set failing_since = statement_timestamp()
              where w.app_id = ${appId} and w.webhook_id = ${webhookId}::uuid and w.failing_since is null`
        : sql`update webhooks w set failing_since = null
              where w.app_id = ${appId} and w.webhook_id = ${webhookId}::uuid and w.failing_since is not null`,
    );
  }

  /** Returns the enabled webhooks of all tenants. */
  async followed(): Promise<FollowedWebhook[]> {
    return run<FollowedWebhook>(
      this.dataSource,
      sql`select w.app_id as "appId", w.webhook_id as "webhookId", a.shards
          from webhooks w join apps a on a.app_id = w.app_id where w.enabled and a.removing_since is null`,
    );
  }

  /**
   * Turns events into deliveries, and moves the webhook behind them, in one transaction.
   * @param from where the webhook is
   * @param reset whether events are missing, so that the receiver is told first
   * @returns false if another process has moved the webhook, or it is disabled; then nothing has changed
   */
  async advance(
    { appId, webhookId }: WebhookReference,
    from: EventPosition,
    to: EventPosition,
    events: readonly StoredEvent[],
    reset = false,
  ): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      const moved = await run(
        manager,
        sql`update webhooks w set xid = ${String(to.xid)}::bigint, seq = ${String(to.seq)}::bigint
            where w.app_id = ${appId} and w.webhook_id = ${webhookId}::uuid and w.enabled
              and w.xid = ${String(from.xid)}::bigint and w.seq = ${String(from.seq)}::bigint
            returning w.webhook_id`,
      );
      if (moved.length === 0) return false;
      const resets = reset ? [{ type: 'stream.reset' as const }] : [];
      await insertDeliveries(manager, { appId, webhookId }, [...resets, ...events]);
      return true;
    });
  }
}

/** A row of `webhooks` as PostgreSQL names its columns. */
type WebhookRow = Readonly<Record<string, unknown>>;

function entityOf(row: WebhookRow): WebhookEntity {
  const members = Object.entries(row).map(([column, value]) => [
    column.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(members) as WebhookEntity;
}
