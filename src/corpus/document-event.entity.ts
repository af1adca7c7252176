import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AppEntity } from '../auth/app.entity.js';

/**
 * What happened to a document, written in the transaction of the change. The columns from `readers` on are filled for a
 * deletion only: they are those of the deleted row, so that the conditions on a document can be tested.
 */
@Entity('document_events')
@ForeignKey(() => AppEntity, ['app_id'], ['app_id'], { onDelete: 'CASCADE' })
@Index('document_events_happened', ['happened_at'])
export class DocumentEventEntity {
  @PrimaryColumn({ type: 'text' })
  readonly app_id: string;

  /** Transaction (`xid8`) that wrote the event. */
  @PrimaryColumn({ type: 'bigint' })
  readonly xid: string;

  /** Place among the events of the transaction. */
  @PrimaryColumn({ type: 'bigint' })
  readonly seq: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly external_id: string;

  @Column({ type: 'text' })
  readonly type: string;

  @Column({ type: 'jsonb' })
  readonly data: unknown;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  readonly happened_at: Date;

  @Column({ type: 'text', array: true, default: [] })
  readonly readers: readonly string[];

  @Column({ type: 'text', nullable: true })
  readonly end_user_id: string | null;

  @Column({ type: 'text', collation: 'C', nullable: true })
  readonly folder_path: string | null;

  @Column({ type: 'text', nullable: true })
  readonly filename: string | null;

  @Column({ type: 'jsonb', nullable: true })
  readonly metadata: unknown;

  @Column({ type: 'jsonb', nullable: true })
  readonly metadata_types: unknown;
}
