import { readSettings } from '../../src/index.js';
import { numberOf, parseCommandLine } from './command.js';

export const USAGE = `Usage: lectern distribute [--dry-run] [--worker HOST:PORT ...]

Spreads the tenants of the PostgreSQL at DATABASE_URL over the nodes of a Citus cluster whose coordinator it is; all that
belongs to one tenant is on one node. Each step may be taken again: after an upgrade it distributes tables that are new,
and with --worker it adds nodes. The tables are distributed in one transaction; while it runs, requests are answered with
503 and Retry-After.

  --dry-run             say what there is to do, and do nothing
  --worker HOST:PORT    a node to put tenants on, as the others reach it; once for each
  --coordinator HOST:PORT
                        the coordinator as the workers reach it (default: that of DATABASE_URL)
  --shards N            pieces that tenants are spread over and that move between nodes (default: 32)
  --help                this
  --version             which Lectern this is

The user of DATABASE_URL has to be a superuser for this, here and on the workers; the service needs none.`;

const DEFAULT_SHARDS = '32';

/** `lectern distribute`: from one PostgreSQL to a cluster. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseCommandLine({
    args: [...args],
    options: {
      'dry-run': { type: 'boolean', default: false },
      worker: { type: 'string', multiple: true, default: [] },
      coordinator: { type: 'string' },
      shards: { type: 'string', default: DEFAULT_SHARDS },
    },
  });
  const shards = numberOf('shards', values.shards, 1, 1_000);
  const settings = readSettings(process.env);
  const { distribute } = await import('../../src/parts.js');
  const isDryRun = values['dry-run'];
  let left = 0;
  await distribute(
    settings,
    { isDryRun, workers: values.worker, coordinator: values.coordinator, shards },
    ({ about, isDone }) => {
      if (!isDone) left += 1;
      console.log(`${isDone ? 'there already' : isDryRun ? 'to do' : 'done'}: ${about}`);
    },
  );
  if (left === 0) console.log('\nThe database is distributed.');
  else if (isDryRun) console.log(`\n${left} steps to take; nothing was changed.`);
  else console.log('\nThe database is distributed now. Running services need no restart.');
}
