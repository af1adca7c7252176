import { Column, Entity, PrimaryColumn } from 'typeorm';

/** State of the whole installation, such as its embedding space. */
@Entity('service_state')
export class ServiceStateEntity {
  @PrimaryColumn({ type: 'text' })
  readonly name: string;

  @Column({ type: 'jsonb' })
  readonly value: unknown;
}
