import { Injectable } from '@nestjs/common';
import sql, { empty, raw } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { run } from '../../database/run.js';
import { insertDeliveries } from './delivery-rows.js';
import type { DeliveryState, WebhookDeliveryEntity } from './webhook.entity.js';
import type { WebhookReference } from './webhook.repository.js';

/** A webhook with deliveries that are due. */
export interface DueWebhook extends WebhookReference {
  readonly isFailing: boolean;
}

/** A delivery whose attempt has begun. `attempts` counts it. */
export type ClaimedDelivery = Pick<
  WebhookDeliveryEntity,
  'appId' | 'deliveryId' | 'webhookId' | 'type' | 'xid' | 'seq' | 'documentId' | 'happenedAt' | 'attempts'
>;

/** What comes after an attempt. */
export interface AttemptOutcome {
  readonly state: DeliveryState;
  /** Seconds until the next attempt; null: there is none. */
  readonly delaySeconds: number | null;
  readonly statusCode: number | null;
  readonly error: string | null;
}

/** Selects deliveries of a webhook, newest first. */
export interface DeliveryPage {
  readonly states: readonly DeliveryState[] | null;
  /** Id of the last delivery of the page before; null: the first page. */
  readonly before: string | null;
  readonly limit: number;
}

/** Seconds after which an attempt counts as lost with its process. It is longer than an attempt may take. */
const LOST_AFTER_SECONDS = 60;

const COLUMNS = raw(
  ['app_id', 'delivery_id', 'webhook_id', 'type', 'xid', 'seq', 'document_id', 'happened_at', 'attempts']
    .map(
      (column) =>
        `v.${column} as "${column.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())}"`,
    )
    .join(', '),
);

const SHOWN = raw(
  `, v.state, v.next_attempt_at as "nextAttemptAt", v.last_attempt_at as "lastAttemptAt",
   v.last_status_code as "lastStatusCode", v.last_error as "lastError", v.created_at as "createdAt"`,
);

/** Queue and record of the messages to webhooks. */
@Injectable()
export class DeliveryRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Adds a test message. */
  async addTest(webhook: WebhookReference): Promise<WebhookDeliveryEntity> {
    const [id = ''] = await insertDeliveries(this.dataSource, webhook, [{ type: 'webhook.test' }]);
    const added = await this.find(webhook, id);
    if (added === undefined) throw new Error('the delivery was not added');
    return added;
  }

  async list(
    { appId, webhookId }: WebhookReference,
    { states, before, limit }: DeliveryPage,
  ): Promise<WebhookDeliveryEntity[]> {
    return run<WebhookDeliveryEntity>(
      this.dataSource,
      sql`select ${COLUMNS}${SHOWN} from webhook_deliveries v
          where v.app_id = ${appId} and v.webhook_id = ${webhookId}::uuid
            ${states === null ? empty : sql`and v.state = any(${states}::text[])`}
            ${before === null ? empty : sql`and v.delivery_id < ${before}::uuid`}
          order by v.delivery_id desc limit ${limit}`,
    );
  }

  /** @param deliveryId a UUID */
  async find(
    { appId, webhookId }: WebhookReference,
    deliveryId: string,
  ): Promise<WebhookDeliveryEntity | undefined> {
    const [found] = await run<WebhookDeliveryEntity>(
      this.dataSource,
      sql`select ${COLUMNS}${SHOWN} from webhook_deliveries v
          where v.app_id = ${appId} and v.webhook_id = ${webhookId}::uuid and v.delivery_id = ${deliveryId}::uuid`,
    );
    return found;
  }

  /** Makes a delivery due now, with all attempts. */
  async repeat({ appId, deliveryId }: Pick<WebhookDeliveryEntity, 'appId' | 'deliveryId'>): Promise<void> {
    await run(
      this.dataSource,
      sql`update webhook_deliveries v set state = 'waiting', attempts = 0, next_attempt_at = statement_timestamp()
          where v.app_id = ${appId} and v.delivery_id = ${deliveryId}::uuid`,
    );
  }

  /** Returns the enabled webhooks of all tenants with deliveries that are due. */
  async due(): Promise<DueWebhook[]> {
    return run<DueWebhook>(
      this.dataSource,
      sql`select distinct w.app_id as "appId", w.webhook_id as "webhookId", w.failing_since is not null as "isFailing"
          from webhook_deliveries v join webhooks w on w.app_id = v.app_id and w.webhook_id = v.webhook_id
          where v.state = 'waiting' and v.next_attempt_at <= clock_timestamp() and w.enabled`,
    );
  }

  /** Begins attempts of at most `limit` due deliveries of a webhook. No other process begins them meanwhile. */
  async claim({ appId, webhookId }: WebhookReference, limit: number): Promise<ClaimedDelivery[]> {
    return this.dataSource.transaction((manager) =>
      run<ClaimedDelivery>(
        manager,
        sql`with due as materialized (
              select q.delivery_id from webhook_deliveries q
              where q.app_id = ${appId} and q.webhook_id = ${webhookId}::uuid and q.state = 'waiting'
                and q.next_attempt_at <= clock_timestamp()
              order by q.next_attempt_at, q.delivery_id limit ${limit} for update skip locked
            )
            update webhook_deliveries v set attempts = v.attempts + 1, last_attempt_at = clock_timestamp(),
              next_attempt_at = clock_timestamp() + make_interval(secs => ${LOST_AFTER_SECONDS})
            from due where v.app_id = ${appId} and v.delivery_id = due.delivery_id
            returning ${COLUMNS}`,
      ),
    );
  }

  /** Records the outcome of an attempt, unless the delivery was claimed or repeated again meanwhile. */
  async settle(
    { appId, deliveryId, attempts }: ClaimedDelivery,
    { state, delaySeconds, statusCode, error }: AttemptOutcome,
  ): Promise<void> {
    await run(
      this.dataSource,
      sql`update webhook_deliveries v set state = ${state}, last_status_code = ${statusCode}, last_error = ${error},
            next_attempt_at = statement_timestamp() + make_interval(secs => ${delaySeconds}::float8)
          where v.app_id = ${appId} and v.delivery_id = ${deliveryId}::uuid and v.attempts = ${attempts}
            and v.state = 'waiting'`,
    );
  }

  /** Gives an attempt back that was not made. */
  async release({ appId, deliveryId, attempts }: ClaimedDelivery): Promise<void> {
    await run(
      this.dataSource,
      sql`update webhook_deliveries v set attempts = v.attempts - 1, next_attempt_at = statement_timestamp()
          where v.app_id = ${appId} and v.delivery_id = ${deliveryId}::uuid and v.attempts = ${attempts}
            and v.state = 'waiting'`,
    );
  }

  /** Deletes deliveries of all tenants whose event is older than `hours`. */
  async sweep(hours: number): Promise<void> {
    await run(
      this.dataSource,
      sql`delete from webhook_deliveries v where v.happened_at < now() - make_interval(hours => ${hours})`,
    );
  }
}
