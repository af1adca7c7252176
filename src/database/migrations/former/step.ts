import type { QueryRunner } from 'typeorm';

/** A step of the schema from before {@link Initial1700000030000}. Later versions create all tables in that migration. */
export interface FormerStep {
  /** Name under which a database records the step. */
  readonly name: string;
  /** What the step does, as a sentence without a full stop, for the log. */
  readonly about: string;
  readonly up: (queryRunner: QueryRunner) => Promise<void>;
}

/** A step that runs statements in order. */
export function step(name: string, about: string, statements: readonly string[]): FormerStep {
  return {
    name,
    about,
    async up(queryRunner) {
      for (const statement of statements) await queryRunner.query(statement);
    },
  };
}
