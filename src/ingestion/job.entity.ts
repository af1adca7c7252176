import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Generated,
  Index,
  PrimaryColumn,
} from 'typeorm';
import { AppEntity } from '../auth/app.entity.js';
import { DocumentEntity } from '../corpus/document.entity.js';
import type { JobPayload } from './job.js';

@Entity('ingestion_jobs')
@Check('ingestion_jobs_state_check', `state in ('queued', 'running', 'dead')`)
@ForeignKey(() => DocumentEntity, ['appId', 'documentId'], ['app_id', 'external_id'], { onDelete: 'CASCADE' })
@Index('ingestion_jobs_order', ['appId', 'orderAt', 'revision', 'size', 'runAt'], {
  where: `state = 'queued'`,
})
@Index('ingestion_jobs_running', ['appId', 'jobId'], { where: `state = 'running'` })
@Index('ingestion_jobs_document', ['appId', 'documentId', 'revision'])
export class IngestionJobEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  @Generated('uuid')
  readonly jobId: string;

  @Column({ type: 'uuid' })
  readonly documentId: string;

  /** Revision of the chunks that the job writes. The jobs of a document run in the order of their revisions. */
  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  readonly revision: string;

  @Column({ type: 'jsonb', default: {} })
  readonly payload: JobPayload;

  @Column({ type: 'text', default: 'queued' })
  readonly state: 'queued' | 'running' | 'dead';

  @Column({ type: 'integer', default: 0 })
  readonly attempts: number;

  /** Size of the source in bytes. */
  @Column({ type: 'bigint', default: 0 })
  readonly size: string;

  /** Earliest time to run. */
  @Column({ type: 'timestamptz', default: () => 'now()' })
  readonly runAt: Date;

  /** Sort key in the tenant's queue: the enqueue time plus a delay that grows with the size of the source. */
  @Column({ type: 'timestamptz', default: () => 'now()' })
  readonly orderAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  readonly leasedUntil: Date | null;

  @Column({ type: 'uuid', nullable: true })
  readonly leasedBy: string | null;

  @Column({ type: 'text', nullable: true })
  readonly lastError: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;
}

/**
 * Time of the last claim for a tenant. The next claim is for the least recently served tenant. A tenant without a row
 * comes first.
 */
@Entity('ingestion_turns')
export class IngestionTurnEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  @Column({ type: 'timestamptz' })
  readonly takenAt: Date;
}

/** Tombstone of a stored object. A key with a trailing slash stands for all keys with this prefix. */
@Entity('object_removals')
@Index('object_removals_due', ['dueAt'])
export class ObjectRemovalEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'text' })
  readonly key: string;

  @Column({ type: 'timestamptz' })
  readonly dueAt: Date;

  @Column({ type: 'boolean', default: false })
  readonly removing: boolean;
}
