import type { MigrationInterface } from 'typeorm';

/** A migration with a description for the log. */
export interface DescribedMigration extends MigrationInterface {
  /** What the migration does, as a sentence without a full stop, for the operator who waits for it. */
  readonly about: string;
}
