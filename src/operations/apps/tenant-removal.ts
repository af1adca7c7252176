import { Inject, Injectable } from '@nestjs/common';
import sql, { join, raw } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { AppRepository } from '../../auth/app.repository.js';
import { shardIds } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { run, type Queryable } from '../../database/run.js';
import { Sweep } from '../../database/sweep.js';
import { tenantTables } from '../../database/tenant-tables.js';
import { ObjectTombstones } from '../../ingestion/object-tombstones.js';
import { pause } from '../../request/pause.js';
import { objectKey } from '../../storage/object-key.js';

/** Number of rows to delete per statement. It is low enough for the statement deadline. */
const BATCH = 1_000;

/** Delay between attempts on locked rows. */
const WAIT_MS = 200;

/**
 * Deletes the data of tenants that are marked for removal: rows in batches, then objects, and finally the tenant
 * itself. Every step is idempotent, and several processes may work at the same time. If a process dies, the tenant
 * stays marked and has no keys, and a sweep continues its removal.
 */
@Injectable()
export class TenantRemoval extends Sweep {
  private readonly tables: readonly string[];

  constructor(
    @Inject(SETTINGS) settings: Settings,
    private readonly dataSource: DataSource,
    private readonly apps: AppRepository,
    private readonly tombstones: ObjectTombstones,
  ) {
    super(settings, 'cannot list tenants to remove');
    this.tables = tenantTables(dataSource);
  }

  /** Removes a marked tenant. The removal continues even if the request that started it exceeds its deadline. */
  finish(appId: string): Promise<void> {
    return this.inBackground(appId, () => this.remove(appId));
  }

  async sweep(): Promise<void> {
    for (const appId of await this.apps.removing()) {
      // A failure must not prevent the removal of the other tenants.
      await this.finish(appId).catch((error: unknown) => {
        this.logger.error({ err: error, appId }, 'cannot finish the removal of a tenant; trying again later');
      });
    }
  }

  private async remove(appId: string): Promise<void> {
    const objects = { appId, key: `${objectKey(appId)}/` };
    for (let removed = false; !removed;) {
      for (const id of await this.apps.shardIds(appId)) await this.emptyTables(id);
      if (this.stopping.aborted) return;
      // Covers all objects of the tenant. Uploads that finish later have tombstones of their own.
      await this.tombstones.add(objects, 0);
      if (!(await this.tombstones.deleteObjects(objects))) return; // the store is down: a later run continues
      removed = await this.removeTenant(appId);
      if (!removed) await pause(WAIT_MS, this.stopping);
    }
  }

  private async emptyTables(appId: string): Promise<void> {
    for (let ahead = true; ahead;) {
      ahead = false;
      for (const table of this.tables) ahead = (await this.emptyTable(table, appId)) || ahead;
    }
  }

  /**
   * Deletes the rows of a table that are not locked.
   * @returns whether the table had such rows, so that another round is needed
   */
  private async emptyTable(table: string, appId: string): Promise<boolean> {
    let removed = 0;
    for (let count = BATCH; count === BATCH && !this.stopping.aborted; removed += count) {
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
    return removed > 0 && !this.stopping.aborted;
  }

  /**
   * Deletes the tenant itself.
   * @returns false if the tenant has rows again, from a request that started before the removal.
   */
  private async removeTenant(appId: string): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      // After this lock, no row that refers to the tenant can be added. A table without a foreign key to tenants refers
      // to rows of a table that has such a foreign key.
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
}
