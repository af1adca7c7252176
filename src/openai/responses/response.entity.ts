import { Column, CreateDateColumn, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { AppEntity } from '../../auth/app.entity.js';

/** A stored response: the items of its input, and the response object with the items of its output. */
@Entity('responses')
export class ResponseEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly responseId: string;

  @Column({ type: 'text', collation: 'C', nullable: true })
  readonly endUserId: string | null;

  /** Id of the response that this response continues. The continued response may have been deleted. */
  @Column({ type: 'uuid', nullable: true })
  readonly previousId: string | null;

  @Column({ type: 'json' })
  readonly input: unknown;

  @Column({ type: 'json' })
  readonly response: unknown;

  /** Size of `input` and `response` together, in bytes. */
  @Column({ type: 'integer' })
  readonly bytes: number;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;
}
