import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AppEntity } from '../../auth/app.entity.js';

/** The first response to a request with an Idempotency-Key. */
@Entity('idempotency_keys')
@Index('idempotency_keys_created', ['createdAt'])
export class IdempotencyKeyEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  @PrimaryColumn({ type: 'text' })
  readonly key: string;

  /** SHA-256 of the request content. */
  @Column({ type: 'bytea' })
  readonly requestHash: Buffer;

  /** The record of `update_text`; for other routes the body as a text, or null if it is not kept. */
  @Column({ type: 'jsonb' })
  readonly response: unknown;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  @Column({ type: 'smallint', default: 200 })
  readonly statusCode: number;

  /** Set while the request runs: the time from which it counts as lost. */
  @Column({ type: 'timestamptz', nullable: true })
  readonly runningUntil: Date | null;

  /** The documents that the response or the address of the request names. */
  @Column({ type: 'uuid', array: true, default: [] })
  readonly documents: readonly string[];
}
