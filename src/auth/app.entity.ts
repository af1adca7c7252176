import { Check, Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A tenant, or a shard of a tenant. The id of a shard is also its name. */
@Entity('apps')
@Check('apps_shards_check', `(shards = 0) = (strpos(app_id || name, chr(31)) > 0)`)
export class AppEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @Column({ type: 'text', unique: true })
  readonly name: string;

  /** Number of shards of the tenant; 0 if this row is the row of a shard. */
  @Column({ type: 'integer', default: 1 })
  readonly shards: number;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  /** Number of key rotations. */
  @Column({ type: 'integer', default: 0 })
  readonly tokenVersion: number;

  /** Set when removal is requested. From then on the tenant gets no new keys, and a job removes its data in steps. */
  @Column({ type: 'timestamptz', nullable: true })
  readonly removingSince: Date | null;
}
