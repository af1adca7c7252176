import type { MigrationInterface } from 'typeorm';

/** A migration that says in the log what it does. */
export interface DescribedMigration extends MigrationInterface {
  /** A sentence without its full stop, for whoever waits for it. */
  readonly about: string;
}
