import { setTimeout as delay } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import sql, { join, raw } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { AppEntity } from '../../auth/app.entity.js';
import { AppRepository } from '../../auth/app.repository.js';
import { shardIds } from '../../auth/tenant-shards.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { run, type Queryable } from '../../database/run.js';
import { IngestionJobEntity, ObjectRemovalEntity } from '../../ingestion/job.entity.js';
import { ObjectTombstones } from '../../ingestion/object-tombstones.js';
import { runDetached } from '../../request/request-context.js';
import { objectKey } from '../../storage/object-key.js';

/** Rows that one statement removes: it ends well within the deadline of a statement. */
const BATCH = 1_000;

const LOOK_EVERY_MS = 60_000;

/** Between two looks at rows that somebody else holds. */
const WAIT_MS = 200;

/**
 * Removes what a tenant has, once it is marked: rows a batch at a time, then its objects, and last the tenant. Each step
 * may be done again, and by several processes at once. So a process that dies on the way leaves a marked tenant, which
 * has no keys any more, and a process with a worker goes on with it, at its start and every minute.
 */
@Injectable()
export class TenantRemoval implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(TenantRemoval.name);
  private readonly stopping = new AbortController();
  private readonly tables: readonly string[];
  private timer: NodeJS.Timeout | undefined;
  private readonly running = new Map<string, Promise<void>>();
  private looking: Promise<void> = Promise.resolve();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly dataSource: DataSource,
    private readonly apps: AppRepository,
    private readonly tombstones: ObjectTombstones,
  ) {
    this.tables = tenantTables(dataSource);
  }

  onApplicationBootstrap(): void {
    if (this.settings.WORKER === 'off') return;
    this.looking = this.finishBegun();
    this.timer = setInterval(() => {
      this.looking = this.looking.then(() => this.finishBegun());
    }, LOOK_EVERY_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await Promise.allSettled([this.looking, ...this.running.values()]);
  }

  /** Removes a marked tenant. It goes on when the request that asked for it ends by its deadline. */
  finish(appId: string): Promise<void> {
    const running = this.running.get(appId);
    if (running !== undefined) return running;
    const removal = runDetached(() => this.remove(appId)).finally(() => this.running.delete(appId));
    this.running.set(appId, removal);
    return removal;
  }

  private async finishBegun(): Promise<void> {
    try {
      for (const appId of await this.apps.removing()) {
        // One that fails does not hold up the others.
        await this.finish(appId).catch((error: unknown) => {
          this.logger.error(
            { err: error, appId },
            'cannot finish the removal of a tenant; trying again later',
          );
        });
      }
    } catch (error) {
      this.logger.error({ err: error }, 'cannot look for tenants to remove; trying again later');
    }
  }

  private async remove(appId: string): Promise<void> {
    const objects = { appId, key: `${objectKey(appId)}/` };
    for (let removed = false; !removed;) {
      for (const id of await this.apps.shardIds(appId)) await this.emptyTables(id);
      if (this.stopping.signal.aborted) return;
      // Uploads that come to their end only now have tombstones of their own.
      await this.tombstones.add(objects, 0);
      if (!(await this.tombstones.deleteObjects(objects))) return; // the store is down
      removed = await this.removeTenant(appId);
      if (!removed) await this.pause();
    }
  }

  private async emptyTables(appId: string): Promise<void> {
    for (let ahead = true; ahead;) {
      ahead = false;
      for (const table of this.tables) ahead = (await this.emptyTable(table, appId)) || ahead;
    }
  }

  /** @returns whether there was anything. Rows that somebody else has locked are left for the next round. */
  private async emptyTable(table: string, appId: string): Promise<boolean> {
    let removed = 0;
    for (let count = BATCH; count === BATCH && !this.stopping.signal.aborted; removed += count) {
      const [row] = await run<{ count: number }>(
        this.dataSource,
        sql`with gone as (
              delete from ${raw(table)} where app_id = ${appId} and ctid = any(array(
                select ctid from ${raw(table)} where app_id = ${appId} limit ${BATCH} for update skip locked))
              returning 1)
            select count(*)::integer as count from gone`,
      );
      count = row?.count ?? 0;
    }
    return removed > 0 && !this.stopping.signal.aborted;
  }

  /** @returns false when a request that had begun before has written something meanwhile. */
  private async removeTenant(appId: string): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      // From here on nothing new can refer to the tenant; what has no such reference belongs to something that has.
      const app = await this.apps.lockToRemove(manager, { appId });
      if (app === null) return true;
      for (const id of shardIds(app)) if (await this.hasRows(manager, id)) return false;
      await this.apps.delete(manager, app);
      return true;
    });
  }

  private async hasRows(manager: Queryable, appId: string): Promise<boolean> {
    const any = this.tables.map(
      (table) => sql`exists (select 1 from ${raw(table)} where app_id = ${appId} limit 1)`,
    );
    const [row] = await run<{ any: boolean }>(manager, sql`select ${join(any, ' or ')} as any`);
    return row?.any ?? false;
  }

  private async pause(): Promise<void> {
    await delay(WAIT_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}

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
