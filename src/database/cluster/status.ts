import sql from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { run } from '../run.js';
import { clusterNodes, distributedTables, missingNodes } from './cluster.js';
import { tenantTables } from './distributed-tables.js';
import { hasRoleSettings } from './distribution.js';

export interface NodeStatus {
  readonly address: string;
  readonly tenants: number;
  /** null if the node does not answer. */
  readonly chunks: number | null;
}

export interface ClusterStatus {
  readonly nodes: readonly NodeStatus[];
  /** Problems, each a sentence without a full stop that includes the remedy. */
  readonly problems: readonly string[];
}

/** Prepared transactions older than this are reported as a problem. Citus normally finishes them within a minute. */
const UNFINISHED_AFTER = '5 minutes';

/**
 * Returns how tenants are distributed over the nodes. Reports every difference from the state that `lectern distribute`
 * creates.
 */
export async function clusterStatus(dataSource: DataSource): Promise<ClusterStatus> {
  const nodes = await run<NodeStatus>(
    dataSource,
    sql`select n.nodename || ':' || n.nodeport as address, count(t.shardid)::integer as tenants,
          (select case when bool_and(c.success) then sum(case when c.success then c.result::float8 end) end
           from run_command_on_shards('corpus_stats', 'select coalesce(sum(chunk_count), 0) from %s') c
           join pg_dist_shard_placement p on p.shardid = c.shardid
           where p.nodename = n.nodename and p.nodeport = n.nodeport) as chunks
        from pg_dist_node n
        left join (
          select p.nodename, p.nodeport, p.shardid from (select app_id from apps offset 0) a
          join pg_dist_shard_placement p on p.shardid = get_shard_id_for_distribution_column('corpus_stats', a.app_id)
        ) t on t.nodename = n.nodename and t.nodeport = n.nodeport
        where n.noderole = 'primary' and n.shouldhaveshards
        group by n.nodename, n.nodeport order by n.nodename, n.nodeport`,
  );
  return { nodes, problems: await problemsOf(dataSource, nodes) };
}

async function problemsOf(dataSource: DataSource, nodes: readonly NodeStatus[]): Promise<string[]> {
  const found: string[] = [];
  const missing = await missingNodes(dataSource);
  for (const { address } of missing) {
    found.push(`${address} does not answer, so its tenants get 503: start it`);
  }
  const done = await distributedTables(dataSource);
  const left = (await tenantTables(dataSource)).filter((name) => !done.includes(name));
  if (left.length > 0) {
    found.push(`${left.join(', ')} is not distributed: run "lectern distribute"`);
  }
  if (!(await hasRoleSettings(dataSource))) {
    found.push(
      'the role lacks its search settings on the nodes, which slows searches down: run "lectern distribute"',
    );
  }
  const inactive = await run<{ address: string }>(
    dataSource,
    sql`select nodename || ':' || nodeport as address from pg_dist_node
        where noderole = 'primary' and groupid <> 0 and not (isactive and metadatasynced)`,
  );
  for (const { address } of inactive)
    found.push(`${address} is not an active node: select citus_activate_node('HOST', PORT)`);
  if (missing.length === 0) {
    const unfinished = await run<{ address: string; count: string }>(
      dataSource,
      sql`select nodename || ':' || nodeport as address, result as count from run_command_on_workers(
            ${`select count(*) from pg_prepared_xacts where database = current_database() and prepared < now() - interval '${UNFINISHED_AFTER}'`})
          where success and result <> '0'`,
    );
    for (const { address, count } of unfinished) {
      found.push(
        `${address} has ${count} unfinished prepared transactions: select recover_prepared_transactions()`,
      );
    }
  }
  const populated = nodes.filter(({ tenants }) => tenants > 0).length;
  const tenants = nodes.reduce((sum, node) => sum + node.tenants, 0);
  if (populated < nodes.length && tenants >= 4 * nodes.length) {
    found.push(`a node has no tenants: select citus_rebalance_start(shard_transfer_mode => 'block_writes')`);
  }
  const empty = (await clusterNodes(dataSource)).filter(
    ({ isCoordinator, holdsTenants }) => !isCoordinator && !holdsTenants,
  );
  for (const { address } of empty) found.push(`a cluster setting keeps tenants off ${address}`);
  return found;
}
