import { readSettings } from '../../src/index.js';
import { numberOf, parseCommandLine } from './command.js';
import { print } from './output.js';

export const USAGE = `Usage: lectern distribute [--dry-run] [--worker HOST:PORT ...]

Distributes the tenants of the PostgreSQL server at DATABASE_URL, a Citus coordinator, over the nodes of the cluster. The
data of a tenant stays on one node. The command is idempotent: after an upgrade it distributes new tables,
and with --worker it adds nodes. It distributes the tables in one transaction; until the end requests get a 503 with
Retry-After.

  --dry-run             prints the steps and changes nothing
  --worker HOST:PORT    address of a worker node within the cluster; repeatable
  --coordinator HOST:PORT
                        address at which the workers reach the coordinator (default: from DATABASE_URL)
  --shards N            number of Citus shards (default: 32)
  --help                prints this help
  --version             prints the version

The user of DATABASE_URL must be a superuser on the coordinator and the workers; the service itself does not need one.`;

const DEFAULT_SHARDS = '32';

/** `lectern distribute`: distributes a PostgreSQL database over a cluster. */
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
  const { distribute } = await import('../../maintenance/index.js');
  const isDryRun = values['dry-run'];
  let left = 0;
  const large = await distribute(
    settings,
    { isDryRun, workers: values.worker, coordinator: values.coordinator, shards },
    ({ about, isDone }) => {
      if (!isDone) left += 1;
      print(`${isDone ? 'already done' : isDryRun ? 'to do' : 'done'}: ${about}`);
    },
  );
  if (left === 0) print('\nThe database is distributed.');
  else if (isDryRun) print(`\n${left} steps left; nothing was changed.`);
  else print('\nThe database is distributed now. Running services need no restart.');
  for (const { appId, chunks } of large) {
    print(
      `\nTenant ${appId} has ${chunks.toLocaleString('en')} chunks, more than its share of a node. To divide it: lectern export, then lectern restore with --into and --parts.`,
    );
  }
}
