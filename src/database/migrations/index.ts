import { Initial1700000030000 } from './1700000030000-initial.js';

/** All migrations in order, for embedded and native PostgreSQL. */
export const migrations = [Initial1700000030000];
