import 'reflect-metadata';
import sql from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import type { Settings } from '../src/config/settings.js';
import { clusterNodes, hasCitus } from '../src/database/cluster/cluster.js';
import { Distribution, type DistributionStep } from '../src/database/cluster/distribution.js';
import { migrateEmpty } from '../src/database/migrate.js';
import { connectDatabase } from '../src/database/open-database.js';
import { run } from '../src/database/run.js';
import { StartRefused } from '../src/errors/index.js';

export interface DistributeOptions {
  /** Reports the steps without running them. */
  readonly isDryRun: boolean;
  readonly workers: readonly string[];
  readonly coordinator: string | undefined;
  readonly shards: number;
}

/** A tenant that has more chunks than an even distribution would put on one node. */
export interface LargeTenant {
  readonly appId: string;
  readonly chunks: number;
}

/** Every node can serve a tenant with this many chunks together with other tenants (docs/operate/sizing.md). */
const CHUNKS_OF_ANY_NODE = 1_000_000;

/**
 * Distributes the tenants of the database over the nodes of a Citus cluster.
 * @param onStep receives each step: the planned step with `isDryRun`, otherwise each step after it is done
 * @returns tenants that should be divided
 * @throws StartRefused when the database cannot be distributed.
 */
export async function distribute(
  settings: Settings,
  { isDryRun, ...options }: DistributeOptions,
  onStep: (step: DistributionStep) => void,
): Promise<LargeTenant[]> {
  const { DATABASE_URL: url } = settings;
  if (url === undefined) {
    throw new StartRefused(
      'The embedded database cannot be distributed: set DATABASE_URL to the coordinator of a Citus cluster',
    );
  }
  const database = await connectDatabase({ ...settings, DATABASE_STATEMENT_TIMEOUT_MS: 0 });
  try {
    const distribution = new Distribution(database, { ...options, url });
    const steps = await distribution.plan();
    if (isDryRun) {
      steps.forEach(onStep);
    } else {
      await migrateEmpty(database);
      await distribution.run(onStep);
    }
    const nodes = (await hasCitus(database)) ? await clusterNodes(database) : [];
    const workers = nodes.filter(({ isCoordinator }) => !isCoordinator).length;
    return await largeTenants(database, Math.max(workers, options.workers.length));
  } finally {
    await database.destroy();
  }
}

/**
 * Returns the undivided tenants and the tenant shards that have more chunks than an even distribution would put on one
 * node, largest first.
 */
export function largeTenants(database: DataSource, nodes: number): Promise<LargeTenant[]> {
  return run<LargeTenant>(
    database,
    sql`select split_part(app_id, chr(31), 1) as "appId", chunk_count::float8 as chunks from corpus_stats
        where chunk_count > greatest(${CHUNKS_OF_ANY_NODE}, (select sum(chunk_count) / ${Math.max(nodes, 1)} from corpus_stats))
        order by chunk_count desc, app_id`,
  );
}
