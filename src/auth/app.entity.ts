import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A tenant. */
@Entity('apps')
export class AppEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @Column({ type: 'text', unique: true })
  readonly name: string;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  /** How often its keys were rotated. */
  @Column({ type: 'integer', default: 0 })
  readonly tokenVersion: number;

  /** Set once it is to go: nobody gets a key for it any more, and what it has is removed little by little. */
  @Column({ type: 'timestamptz', nullable: true })
  readonly removingSince: Date | null;
}
