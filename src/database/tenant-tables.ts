import type { DataSource } from 'typeorm';

/** A table whose rows belong to documents. The id of the document determines the tenant shard of a row. */
interface ByDocument {
  readonly of: 'document';
  /** Column with the document's id. */
  readonly id: string;
}

/** A table whose rows belong to the tenant as a whole and are stored in its first shard. */
interface ByTenant {
  readonly of: 'tenant';
}

/** A table whose rows are not exported. */
interface LeftOut {
  readonly of: 'nothing';
  readonly because: string;
}

interface TenantTable {
  /**
   * Place of the table on a cluster. `node`: distributed by tenant over the nodes. `every node`: a Citus reference
   * table. `coordinator`: an ordinary table on the coordinator.
   */
  readonly place: 'node' | 'coordinator' | 'every node';
  readonly moves: ByDocument | ByTenant | LeftOut;
}

const TENANT = { of: 'tenant' } as const;
const byDocument = (id: string): ByDocument => ({ of: 'document', id });
const leftOut = (because: string): LeftOut => ({ of: 'nothing', because });

/**
 * Every table with rows of tenants. The distribution over a cluster, the export and the restore read this list, and a
 * spec compares it with the entities. Tables on the coordinator are queried before the tenant is authenticated, or for
 * all tenants at once.
 */
export const TENANT_TABLES: Readonly<Record<string, TenantTable>> = {
  answer_feedback: { place: 'node', moves: TENANT },
  api_keys: { place: 'coordinator', moves: TENANT },
  apps: { place: 'every node', moves: leftOut('the header of an export lists the tenants') },
  audit_log: { place: 'coordinator', moves: leftOut('it records what happened in this installation') },
  audit_seals: { place: 'coordinator', moves: leftOut('they chain the audit log of this installation') },
  browser_sessions: { place: 'coordinator', moves: leftOut('people sign in again') },
  chat_links: { place: 'node', moves: TENANT },
  chunks: { place: 'node', moves: byDocument('document_id') },
  conversations: { place: 'node', moves: TENANT },
  corpus_stats: { place: 'node', moves: leftOut('counted from the chunks') },
  deleted_items: { place: 'node', moves: leftOut('cursors of listings are not moved') },
  detached_files: { place: 'node', moves: leftOut('cursors of listings are not moved') },
  device_links: { place: 'coordinator', moves: leftOut('they work for five minutes') },
  document_events: { place: 'node', moves: leftOut('events are of this installation, and kept for a day') },
  document_summaries: { place: 'node', moves: byDocument('subject_id') },
  document_texts: { place: 'node', moves: byDocument('document_id') },
  documents: { place: 'node', moves: byDocument('external_id') },
  file_attachments: { place: 'node', moves: byDocument('document_id') },
  file_batch_entries: { place: 'node', moves: TENANT },
  file_batches: { place: 'node', moves: TENANT },
  files: { place: 'node', moves: TENANT },
  folder_summaries: { place: 'node', moves: TENANT },
  folders: { place: 'node', moves: TENANT },
  group_members: { place: 'coordinator', moves: TENANT },
  groups: { place: 'coordinator', moves: TENANT },
  idempotency_keys: { place: 'coordinator', moves: TENANT },
  ingestion_jobs: { place: 'coordinator', moves: byDocument('document_id') },
  ingestion_turns: { place: 'coordinator', moves: leftOut('a restored queue starts with a new order') },
  metadata_order: { place: 'node', moves: leftOut('a trigger writes it with the documents') },
  object_removals: { place: 'coordinator', moves: leftOut('deleted files are not moved') },
  operation_log: { place: 'coordinator', moves: TENANT },
  pages: { place: 'node', moves: byDocument('document_id') },
  provider_accounts: { place: 'coordinator', moves: leftOut('the next sign-in makes it') },
  quota_counts: { place: 'coordinator', moves: leftOut('counted anew when a quota is reached') },
  rate_limits: { place: 'coordinator', moves: leftOut('counters of one minute') },
  replaced_rows: { place: 'node', moves: leftOut('they belong to the damage of this installation') },
  term_stats: { place: 'node', moves: leftOut('counted from the chunks') },
  turns: { place: 'node', moves: TENANT },
  vector_stores: { place: 'node', moves: TENANT },
  webhook_deliveries: { place: 'coordinator', moves: leftOut('events are of this installation') },
  webhooks: { place: 'coordinator', moves: leftOut('a copy must not send what the original sends') },
};

export function tablesAt(place: TenantTable['place']): string[] {
  return Object.keys(TENANT_TABLES).filter((name) => TENANT_TABLES[name]?.place === place);
}

/**
 * Tables that a removal of a tenant does not empty batch by batch. The row in `apps` is deleted at the end. The rows of
 * `object_removals` are deleted together with the objects. The audit log and its seals are append-only.
 */
const REMOVED_LAST = ['apps', 'audit_log', 'audit_seals', 'object_removals'];

const JOBS = 'ingestion_jobs';

/**
 * All tables with rows of tenants in the order in which a removed tenant's rows are deleted: referencing tables before
 * referenced tables, and jobs first, so that no worker adds rows in the meantime. Excludes the tables of {@link
 * REMOVED_LAST}.
 */
export function tenantTables({ entityMetadatas }: DataSource): string[] {
  let left = entityMetadatas
    .filter(({ tableName }) => !REMOVED_LAST.includes(tableName))
    .filter(({ columns }) => columns.some(({ databaseName }) => databaseName === 'app_id'));
  const ordered: string[] = [];
  while (left.length > 0) {
    const referred = new Set(
      left.flatMap(({ foreignKeys }) => foreignKeys.map((key) => key.referencedEntityMetadata.tableName)),
    );
    const free = left.filter(({ tableName }) => !referred.has(tableName));
    if (free.length === 0) throw new Error('foreign keys of tenant tables form a cycle');
    free.sort((a, b) => Number(b.tableName === JOBS) - Number(a.tableName === JOBS));
    ordered.push(...free.map(({ tableName }) => tableName));
    left = left.filter((table) => !free.includes(table));
  }
  return ordered;
}
