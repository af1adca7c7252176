import type { MigrationInterface } from 'typeorm';

/** A migration with a description for the log. */
export interface DescribedMigration extends MigrationInterface {
  /** Sentence without a full stop, for the operator who waits for the migration. */
  readonly about: string;
}
