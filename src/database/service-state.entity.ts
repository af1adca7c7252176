import { Column, Entity, PrimaryColumn } from 'typeorm';

/** State of the whole installation, for example its embedding space. */
@Entity('service_state')
export class ServiceStateEntity {
  @PrimaryColumn({ type: 'text' })
  readonly name: string;

  @Column({ type: 'jsonb' })
  readonly value: unknown;
}
