import type { TestDatabase } from '../support/database.js';

/**
 * Tests of the rows that a statement selects. A mutation run (`npm run mutation`) skips them: it restarts the
 * specs for every mutant, and tests of the exact SQL detect the same mutants without a database.
 */
export const overRows = process.env['WITHOUT_DATABASE'] === undefined ? describe : describe.skip;

/** Like `openTestDatabase`; imports the database only when called. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const database = await import('../support/database.js');
  return database.openTestDatabase();
}
