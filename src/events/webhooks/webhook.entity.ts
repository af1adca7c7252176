import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  UpdateDateColumn,
} from 'typeorm';
import type { Holder } from '../../auth/authenticator.js';
import { AppEntity } from '../../auth/app.entity.js';
import type { DocumentEventType } from '../../corpus/document-events.js';

/**
 * Why the service has disabled a webhook. `gone`: the receiver answered 410. `failing`: nothing was delivered for days.
 * `key_ended`: the key that made it no longer works, or may no longer read. `secret_unreadable`: JWT_SECRET was replaced.
 */
export const DISABLED_REASONS = ['gone', 'failing', 'key_ended', 'secret_unreadable'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** An address to which the service sends what happens to documents. */
@Entity('webhooks')
export class WebhookEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly webhookId: string;

  /** Id of the key that made it. */
  @Column({ type: 'text' })
  readonly keyId: string;

  /** The person for whom it was made; null: nobody. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  readonly owner: string | null;

  /** Who made it: their rights at each delivery are its bounds. */
  @Column({ type: 'jsonb' })
  readonly holder: Holder;

  @Column({ type: 'text' })
  readonly url: string;

  @Column({ type: 'text', nullable: true })
  readonly description: string | null;

  @Column({ type: 'text', array: true })
  readonly types: readonly DocumentEventType[];

  /** Normalised paths; null: every folder. */
  @Column({ type: 'text', array: true, nullable: true })
  readonly folders: readonly string[] | null;

  @Column({ type: 'integer' })
  readonly folderDepth: number;

  /** Metadata filter as JSON. */
  @Column({ type: 'text', nullable: true })
  readonly filter: string | null;

  @Column({ type: 'text', collation: 'C', nullable: true })
  readonly endUserId: string | null;

  /** The secret of the signatures, encrypted. */
  @Column({ type: 'text' })
  readonly secret: string;

  @Column({ type: 'text', nullable: true })
  readonly previousSecret: string | null;

  @Column({ type: 'timestamptz', nullable: true })
  readonly previousSecretUntil: Date | null;

  /** Transaction of the last event that became a delivery, or that the webhook may not tell. */
  @Column({ type: 'bigint' })
  readonly xid: string;

  @Column({ type: 'bigint' })
  readonly seq: string;

  @Column({ type: 'boolean', default: true })
  readonly enabled: boolean;

  @Column({ type: 'timestamptz', nullable: true })
  readonly disabledAt: Date | null;

  /** null: it is enabled, or a caller disabled it. */
  @Column({ type: 'text', nullable: true })
  readonly disabledReason: DisabledReason | null;

  /** Time of the first failed attempt after the last delivery. */
  @Column({ type: 'timestamptz', nullable: true })
  readonly failingSince: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  readonly updatedAt: Date;
}

/**
 * `waiting`: for its next attempt. `failed`: all attempts failed. `dropped`: the maker of the webhook may no longer read
 * the document, so that nothing was sent.
 */
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What a webhook tells besides events of documents: a test, and that events are missing. */
export const OWN_TYPES = ['webhook.test', 'stream.reset'] as const;
export type DeliveryType = DocumentEventType | (typeof OWN_TYPES)[number];

/**
 * A message to the receiver of a webhook. It refers to an event, which is read at each attempt with the rights that the
 * maker of the webhook has then.
 */
@Entity('webhook_deliveries')
@ForeignKey(() => WebhookEntity, ['appId', 'webhookId'], ['appId', 'webhookId'], { onDelete: 'CASCADE' })
@Index('webhook_deliveries_events', ['appId', 'webhookId', 'xid', 'seq', 'documentId'], { unique: true })
@Index('webhook_deliveries_listed', ['appId', 'webhookId', 'deliveryId'])
@Index('webhook_deliveries_due', ['nextAttemptAt'], { where: `state = 'waiting'` })
@Index('webhook_deliveries_happened', ['happenedAt'])
export class WebhookDeliveryEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  /** The id that the receiver gets; ids of later deliveries are greater. */
  @PrimaryColumn({ type: 'uuid' })
  readonly deliveryId: string;

  @Column({ type: 'uuid' })
  readonly webhookId: string;

  @Column({ type: 'text' })
  readonly type: DeliveryType;

  /** null: not an event of a document. */
  @Column({ type: 'bigint', nullable: true })
  readonly xid: string | null;

  @Column({ type: 'bigint', nullable: true })
  readonly seq: string | null;

  @Column({ type: 'uuid', nullable: true })
  readonly documentId: string | null;

  @Column({ type: 'timestamptz' })
  readonly happenedAt: Date;

  @Column({ type: 'text', default: 'waiting' })
  readonly state: DeliveryState;

  @Column({ type: 'integer', default: 0 })
  readonly attempts: number;

  /** While an attempt runs: the time from which it counts as lost. null: there is none. */
  @Column({ type: 'timestamptz', nullable: true })
  readonly nextAttemptAt: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  readonly lastAttemptAt: Date | null;

  /** HTTP status of the last answer; null: there was none. */
  @Column({ type: 'integer', nullable: true })
  readonly lastStatusCode: number | null;

  /** Why the last attempt got no answer, in words. */
  @Column({ type: 'text', nullable: true })
  readonly lastError: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;
}
