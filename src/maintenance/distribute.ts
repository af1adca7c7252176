import 'reflect-metadata';
import type { Settings } from '../config/settings.js';
import { Distribution, type DistributionStep } from '../database/cluster/distribution.js';
import { migrate } from '../database/migrate.js';
import { connectDatabase } from '../database/open-database.js';
import { StartRefused } from '../errors/index.js';

export interface DistributeOptions {
  /** Reports the steps without running them. */
  readonly isDryRun: boolean;
  readonly workers: readonly string[];
  readonly coordinator: string | undefined;
  readonly shards: number;
}

/**
 * Distributes the tenants of the database over the nodes of a Citus cluster.
 * @param onStep receives each step: with `isDryRun` as planned, otherwise after it is done
 * @throws StartRefused when the database cannot be distributed.
 */
export async function distribute(
  settings: Settings,
  { isDryRun, ...options }: DistributeOptions,
  onStep: (step: DistributionStep) => void,
): Promise<void> {
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
      return;
    }
    await migrate(database);
    await distribution.run(onStep);
  } finally {
    await database.destroy();
  }
}
