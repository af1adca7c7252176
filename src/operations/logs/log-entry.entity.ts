import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AppEntity } from '../../auth/app.entity.js';

@Entity('operation_log')
@Check('operation_log_status_check', `status in ('success', 'error')`)
@Index('operation_log_logged', ['loggedAt'])
export class LogEntryEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  @PrimaryColumn({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  readonly entryId: string;

  /** Time when the request arrived. */
  @Column({ type: 'timestamptz' })
  readonly loggedAt: Date;

  @Column({ type: 'text' })
  readonly operationType: string;

  @Column({ type: 'text' })
  readonly status: 'success' | 'error';

  @Column({ type: 'integer' })
  readonly statusCode: number;

  @Column({ type: 'double precision' })
  readonly durationMs: number;

  @Column({ type: 'integer' })
  readonly tokensUsed: number;

  @Column({ type: 'text' })
  readonly keyId: string;

  @Column({ type: 'text' })
  readonly requestId: string;
}
