import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { AppEntity } from '../auth/app.entity.js';

/**
 * How much of a quota a tenant or a person has used. The count of a stock may be too high, because deletions do not
 * change it, and is never too low.
 */
@Entity('quota_counts')
export class QuotaCountEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  /** `user:ID`; empty for the tenant. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  readonly subject: string;

  @PrimaryColumn({ type: 'text' })
  readonly kind: string;

  @Column({ type: 'bigint' })
  readonly used: string;

  /** End of the day that the count is about; null for a stock. */
  @Column({ type: 'timestamptz', nullable: true })
  readonly endsAt: Date | null;
}
