import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ApiKeyEntity } from '../api-key.entity.js';

/** A browser in which a person is signed in. It acts with a key that the browser does not have. */
@Entity('browser_sessions')
@ForeignKey(() => ApiKeyEntity, ['appId', 'keyId'], ['appId', 'id'], { onDelete: 'CASCADE' })
@Index('browser_sessions_key', ['appId', 'keyId'])
export class BrowserSessionEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly sessionId: string;

  @Column({ type: 'uuid' })
  readonly keyId: string;

  /** SHA-256 of the secret in the cookie. */
  @Column({ type: 'bytea' })
  readonly secretHash: Buffer;

  /** Browser and system, for people. */
  @Column({ type: 'text' })
  readonly device: string;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  @Column({ type: 'timestamptz' })
  readonly expiresAt: Date;

  /** When the identity provider was asked last; null: the session does not depend on a provider. */
  @Column({ type: 'timestamptz', nullable: true })
  readonly checkedAt: Date | null;

  /** Tokens of the identity provider, encrypted; null: the session does not depend on a provider. */
  @Column({ type: 'text', nullable: true })
  readonly renewal: string | null;
}

/** A link that signs another device of a person in. */
@Entity('device_links')
@ForeignKey(() => ApiKeyEntity, ['appId', 'keyId'], ['appId', 'id'], { onDelete: 'CASCADE' })
export class DeviceLinkEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly keyId: string;

  /** SHA-256 of the secret in the link. */
  @Column({ type: 'bytea' })
  readonly secretHash: Buffer;

  @Column({ type: 'timestamptz' })
  readonly expiresAt: Date;
}
