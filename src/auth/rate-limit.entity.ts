import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { AppEntity } from './app.entity.js';

/** Number of requests that a key has made in the minute that ends at `endsAt`. The table is unlogged. */
@Entity('rate_limits')
export class RateLimitEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  /** Key id as in the scope of a request. It is text, because ADMIN_KEY has no row and therefore no UUID. */
  @PrimaryColumn({ type: 'text' })
  readonly keyId: string;

  @Column({ type: 'integer' })
  readonly used: number;

  @Column({ type: 'timestamptz' })
  readonly endsAt: Date;
}
