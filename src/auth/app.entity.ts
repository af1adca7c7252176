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
}
