import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { AppEntity } from './app.entity.js';

/** Number of requests by a key in the minute that ends at `endsAt`. The table is unlogged. */
@Entity('rate_limits')
export class RateLimitEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  /** Key id as in the scope of a request: text, because ADMIN_KEY has no row and no UUID. */
  @PrimaryColumn({ type: 'text' })
  readonly keyId: string;

  @Column({ type: 'integer' })
  readonly used: number;

  @Column({ type: 'timestamptz' })
  readonly endsAt: Date;
}
