import { Check, Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A tenant, or a part of one (`tenant-shards.ts`), whose name is its id. */
@Entity('apps')
@Check('apps_parts_check', `(parts = 0) = (strpos(app_id || name, chr(31)) > 0)`)
export class AppEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @Column({ type: 'text', unique: true })
  readonly name: string;

  /** Of a tenant, 1 where it is undivided; 0: this is a part of one. */
  @Column({ type: 'integer', default: 1 })
  readonly parts: number;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  /** How often its keys were rotated. */
  @Column({ type: 'integer', default: 0 })
  readonly tokenVersion: number;

  /** Set once it is to go: nobody gets a key for it any more, and what it has is removed little by little. */
  @Column({ type: 'timestamptz', nullable: true })
  readonly removingSince: Date | null;
}
