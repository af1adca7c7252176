import { Column, Entity, Generated, PrimaryColumn } from 'typeorm';

/** A row that a repair has replaced or deleted. Its tenant may be gone, so there is no foreign key. */
@Entity('replaced_rows')
export class ReplacedRowEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  @Generated('uuid')
  readonly replacedId: string;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  readonly replacedAt: Date;

  @Column({ type: 'text' })
  readonly tableName: string;

  /** The row without its vectors and terms, which are computed. */
  @Column({ type: 'jsonb' })
  readonly content: unknown;
}
