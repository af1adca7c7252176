import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** Chains an entry of the audit log to the entries of its tenant before it. A trigger rejects every update and delete. */
@Entity('audit_seals')
@Unique('audit_seals_entry', ['appId', 'entryId'])
export class AuditSealEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  /** 1 for the first entry of the tenant, and one more for each further entry. */
  @PrimaryColumn({ type: 'bigint' })
  readonly position: string;

  @Column({ type: 'bigint' })
  readonly entryId: string;

  /** See `hashOf` in `chain.ts`, in hexadecimal digits. */
  @Column({ type: 'text' })
  readonly hash: string;

  @Column({ type: 'timestamptz', default: () => 'clock_timestamp()' })
  readonly sealedAt: Date;
}
