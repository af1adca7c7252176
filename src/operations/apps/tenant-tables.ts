import type { DataSource } from 'typeorm';
import { AppEntity } from '../../auth/app.entity.js';
import { IngestionJobEntity, ObjectRemovalEntity } from '../../ingestion/job.entity.js';

/**
 * Every table that has rows of tenants, in an order in which they can be emptied: a table before those that it refers
 * to, and the jobs first of all, so that no worker adds anything meanwhile. Left out are the tenants themselves, and the
 * tombstones of stored objects, which go when their object has gone.
 */
export function tenantTables({ entityMetadatas }: DataSource): string[] {
  let left = entityMetadatas
    .filter(({ target }) => target !== AppEntity && target !== ObjectRemovalEntity)
    .filter(({ columns }) => columns.some(({ databaseName }) => databaseName === 'app_id'));
  const ordered: string[] = [];
  while (left.length > 0) {
    const referred = new Set(
      left.flatMap(({ foreignKeys }) => foreignKeys.map((key) => key.referencedEntityMetadata.tableName)),
    );
    const free = left.filter(({ tableName }) => !referred.has(tableName));
    if (free.length === 0) throw new Error('tables of tenants refer to each other in a circle');
    free.sort((a, b) => Number(b.target === IngestionJobEntity) - Number(a.target === IngestionJobEntity));
    ordered.push(...free.map(({ tableName }) => tableName));
    left = left.filter((table) => !free.includes(table));
  }
  return ordered;
}
