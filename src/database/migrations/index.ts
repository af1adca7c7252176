import { Initial1700000000000 } from './1700000000000-initial.js';

/** In the order they run. The same list on embedded and native PostgreSQL. */
export const migrations = [Initial1700000000000];
