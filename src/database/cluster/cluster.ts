import sql, { raw } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { isEmbedded } from '../data-source.js';
import { run, type Queryable } from '../run.js';

export interface ClusterNode {
  /** Id of the node in Citus. */
  readonly id: number;
  /** `host:port` at which the other nodes reach this node. */
  readonly address: string;
  readonly isCoordinator: boolean;
  /** Whether Citus may place shards, and therefore tenants, on this node. */
  readonly holdsTenants: boolean;
}

/** Tells whether the tables of a database are distributed over the nodes of a cluster. */
export async function isDistributed(dataSource: DataSource): Promise<boolean> {
  return !isEmbedded(dataSource) && (await distributedTables(dataSource)).includes('documents');
}

/** Returns the names of the tables that are distributed by tenant. A single server has none. */
export async function distributedTables(database: Queryable): Promise<string[]> {
  if (!(await hasCitus(database))) return [];
  const rows = await run<{ name: string }>(
    database,
    sql`select logicalrelid::regclass::text as name from pg_dist_partition where partmethod = 'h' order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Tells whether the Citus extension is installed in this database. */
export async function hasCitus(database: Queryable): Promise<boolean> {
  const rows = await run(database, sql`select from pg_extension where extname = 'citus'`);
  return rows.length > 0;
}

const NODE = raw(`nodeid as id, nodename || ':' || nodeport as address, groupid = 0 as "isCoordinator",
  shouldhaveshards as "holdsTenants"`);

/** Returns the nodes of the cluster, the coordinator first. */
export async function clusterNodes(database: Queryable): Promise<ClusterNode[]> {
  return run(
    database,
    sql`select ${NODE} from pg_dist_node where noderole = 'primary' order by groupid <> 0, nodeid`,
  );
}

/** Connection timeout (ms) when probing a node. */
const PROBE_MS = '1000';

/** Returns the nodes that the coordinator cannot connect to. */
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
