import { Column, CreateDateColumn, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { AppEntity } from './app.entity.js';
import type { Permission } from './scope.js';

/** A stored key. The key itself is never stored. */
@Entity('api_keys')
export class ApiKeyEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid', name: 'jti' })
  readonly id: string;

  @Column({ type: 'text' })
  readonly name: string;

  @Column({ type: 'text', array: true })
  readonly permissions: readonly Permission[];

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  readonly expiresAt: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  readonly revokedAt: Date | null;
}
