import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { AuditEvent } from './audit-events.js';

/** `refused`: a 4xx. `failed`: a 5xx; the action may have been done in part. */
export type AuditOutcome = 'done' | 'refused' | 'failed';

/** An event of {@link AuditEvent}. A trigger rejects every update and delete of a row. */
@Entity('audit_log')
@Check('audit_log_outcome_check', `outcome in ('done', 'refused', 'failed')`)
@Index('audit_log_logged', ['loggedAt'])
export class AuditEntryEntity {
  /** Tenant of the key that acted. The entry stays when the tenant is removed. */
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  readonly entryId: string;

  @Column({ type: 'timestamptz', default: () => 'clock_timestamp()' })
  readonly loggedAt: Date;

  /** Id of the key, `admin-key` or `command line`. */
  @Column({ type: 'text' })
  readonly keyId: string;

  /** The end user of the key, or the system user of a command. */
  @Column({ type: 'text', nullable: true })
  readonly person: string | null;

  /** Address of the client; null for a command. */
  @Column({ type: 'text', nullable: true })
  readonly address: string | null;

  @Column({ type: 'text' })
  readonly action: AuditEvent;

  /** Ids and names of the objects on which the action was performed; never a secret. */
  @Column({ type: 'text', nullable: true })
  readonly subject: string | null;

  @Column({ type: 'text' })
  readonly outcome: AuditOutcome;

  /** HTTP status; null for a command. */
  @Column({ type: 'integer', nullable: true })
  readonly statusCode: number | null;

  @Column({ type: 'text', nullable: true })
  readonly requestId: string | null;
}
