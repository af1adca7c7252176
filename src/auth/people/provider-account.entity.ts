import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ApiKeyEntity } from '../api-key.entity.js';
import type { Permission } from '../permissions.js';

/** An account at the identity provider, or at the proxy that signs people in, and the key that its person acts with. */
@Entity('provider_accounts')
@ForeignKey(() => ApiKeyEntity, ['appId', 'keyId'], ['appId', 'id'], { onDelete: 'CASCADE' })
@Index('provider_accounts_key', ['appId', 'keyId'], { unique: true })
export class ProviderAccountEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  /** Issuer and subject of the account. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  readonly subject: string;

  @Column({ type: 'uuid' })
  readonly keyId: string;

  /** The groups that the provider named last. */
  @Column({ type: 'text', array: true })
  readonly groups: readonly string[];

  /** Whether the provider made the person an administrator when it was asked last. */
  @Column({ type: 'boolean', default: false })
  readonly isAdmin: boolean;

  /** The permissions of the invitation, or those that an administrator gave since then; null: nobody invited the person. */
  @Column({ type: 'text', array: true, nullable: true })
  readonly role: readonly Permission[] | null;

  /** What tells people of one name apart, such as an e-mail address; null: the provider does not say it. */
  @Column({ type: 'text', nullable: true })
  readonly detail: string | null;
}
