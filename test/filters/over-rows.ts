import type { TestDatabase } from '../support/database.js';

/**
 * Tests of what a statement finds. A mutation run (`npm run mutation`) leaves them out: it starts the specs anew for
 * every change, and tests of the exact SQL notice the same changes without a database. Every other run has them.
 */
export const overRows = process.env['WITHOUT_DATABASE'] === undefined ? describe : describe.skip;

/** As `openTestDatabase`; loads what a database needs only when it is called. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const database = await import('../support/database.js');
  return database.openTestDatabase();
}
