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

  @Column({ type: 'jsonb' })
  readonly response: unknown;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;
}
