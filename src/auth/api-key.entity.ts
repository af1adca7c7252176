import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Quotas } from '../config/quotas.js';
import { AppEntity } from './app.entity.js';
import type { Permission } from './scope.js';

/** A stored key. The key itself is never stored. */
@Entity('api_keys')
@Index('api_keys_people', ['appId', 'endUserId'])
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

  /** The end user that the key belongs to; null for a key of an application or an administrator. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  readonly endUserId: string | null;

  /** Addresses and CIDR ranges of the clients that may use the key; null if every client may. */
  @Column({ type: 'text', array: true, nullable: true })
  readonly networks: readonly string[] | null;

  /** Bounds instead of QUOTA_PERSON, or for a key without an end user besides QUOTA_TENANT. */
  @Column({ type: 'jsonb', nullable: true })
  readonly quotas: Quotas | null;

  /** The models besides the configured one that the key may use; null: see LLM_ALLOWED_MODELS. */
  @Column({ type: 'text', array: true, nullable: true })
  readonly models: readonly string[] | null;

  /** Tokens of the largest answer; null: see LLM_MAX_ANSWER_TOKENS. */
  @Column({ type: 'integer', nullable: true })
  readonly maxAnswerTokens: number | null;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  readonly expiresAt: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  readonly revokedAt: Date | null;

  /** When an administrator ended the access of its person, and the key with it; null: never. */
  @Column({ type: 'timestamptz', nullable: true })
  readonly accessEndedAt: Date | null;

  /** Accurate to a minute; null: not since the service remembers it. */
  @Column({ type: 'timestamptz', nullable: true })
  readonly lastUsedAt: Date | null;

  /** SHA-256 of the secret in the sign-in link; null when the key has no unused link. */
  @Column({ type: 'bytea', nullable: true })
  readonly signInHash: Buffer | null;

  @Column({ type: 'timestamptz', nullable: true })
  readonly signInExpiresAt: Date | null;
}
