import sql, { raw } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { isEmbedded } from '../data-source.js';
import { run, type Queryable } from '../run.js';

/** A server of a Citus cluster. */
export interface ClusterNode {
  /** Citus' number of it. */
  readonly id: number;
  /** As the other nodes reach it. */
  readonly address: string;
  readonly isCoordinator: boolean;
  /** Tenants are placed on it. */
  readonly holdsTenants: boolean;
}

/** Whether the tables of a database are distributed over the nodes of a cluster. */
export async function isDistributed(dataSource: DataSource): Promise<boolean> {
  return !isEmbedded(dataSource) && (await distributedTables(dataSource)).includes('documents');
}

/** Names of the tables that are distributed by their tenant; none on a database that is not. */
export async function distributedTables(database: Queryable): Promise<string[]> {
  if (!(await hasCitus(database))) return [];
  const rows = await run<{ name: string }>(
    database,
    sql`select logicalrelid::regclass::text as name from pg_dist_partition where partmethod = 'h' order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Whether the extension is installed in this database. */
export async function hasCitus(database: Queryable): Promise<boolean> {
  const rows = await run(database, sql`select from pg_extension where extname = 'citus'`);
  return rows.length > 0;
}

const NODE = raw(`nodeid as id, nodename || ':' || nodeport as address, groupid = 0 as "isCoordinator",
  shouldhaveshards as "holdsTenants"`);

/** The nodes of the cluster, the coordinator first. */
export async function clusterNodes(database: Queryable): Promise<ClusterNode[]> {
  return run(
    database,
    sql`select ${NODE} from pg_dist_node where noderole = 'primary' order by groupid <> 0, nodeid`,
  );
}

/** How long a node may take to let the coordinator in, where nothing but that is asked; milliseconds. */
const PROBE_MS = '1000';

/** Those of the nodes that do not let the coordinator in. */
export async function missingNodes(dataSource: DataSource): Promise<ClusterNode[]> {
  return dataSource.transaction(async (manager) => {
    await run(manager, sql`select set_config('citus.node_connection_timeout', ${PROBE_MS}, true)`);
    return run(
      manager,
      sql`select ${NODE} from pg_dist_node
          where noderole = 'primary' and groupid <> 0 and not citus_check_connection_to_node(nodename, nodeport)
          order by nodeid`,
    );
  });
}
