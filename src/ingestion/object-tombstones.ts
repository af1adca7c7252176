import { Inject, Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { run, type Queryable } from '../database/run.js';
import { Sweep } from '../database/sweep.js';
import { ObjectStore } from '../storage/object-store.js';

/** A stored object to delete. A key with a trailing slash stands for all keys with this prefix. */
export interface Tombstone {
  readonly appId: string;
  readonly key: string;
}

const BATCH = 100;

/**
 * Tombstones of stored objects. An upload first writes a tombstone with a due time. The transaction that creates the
 * document cancels this tombstone. The transaction of a deletion writes a tombstone that is due immediately. Therefore
 * a crash leaves no orphaned object, and no referenced object is deleted. A periodic sweep deletes the objects that a
 * crash or an unavailable object store left behind.
 */
@Injectable()
export class ObjectTombstones extends Sweep {
  constructor(
    @Inject(SETTINGS) settings: Settings,
    private readonly dataSource: DataSource,
    private readonly objects: ObjectStore,
  ) {
    super(settings, 'cannot list stored objects to delete');
  }

  protected override async prepare(): Promise<void> {
    // Only one process uses the embedded database, so all earlier unfinished uploads are abandoned.
    if (this.settings.DATABASE_URL === undefined) {
      await run(this.dataSource, sql`update object_removals set due_at = clock_timestamp()`);
    }
  }

  async add(
    { appId, key }: Tombstone,
    dueInSeconds: number,
    database: Queryable = this.dataSource,
  ): Promise<void> {
    await run(
      database,
      sql`insert into object_removals (app_id, key, due_at)
          values (${appId}, ${key}, clock_timestamp() + make_interval(secs => ${dueInSeconds}))
          on conflict (app_id, key) do update set due_at = excluded.due_at`,
    );
  }

  /** Adds tombstones of a tenant that are due immediately. */
  async addAll(database: Queryable, appId: string, keys: readonly string[]): Promise<void> {
    await run(
      database,
      sql`insert into object_removals (app_id, key, due_at)
          select ${appId}, key, clock_timestamp() from unnest(${keys}::text[]) as key
          on conflict (app_id, key) do update set due_at = excluded.due_at`,
    );
  }

  /**
   * Cancels the tombstone of an upload that became part of a document.
   * @returns false if the deletion has begun; no row may then refer to the object.
   */
  async cancel(manager: Queryable, { appId, key }: Tombstone): Promise<boolean> {
    const rows = await run(
      manager,
      sql`delete from object_removals where app_id = ${appId} and key = ${key} and not removing returning key`,
    );
    return rows.length > 0;
  }

  /**
   * Deletes the objects of a tombstone unless it was cancelled, and then the tombstone. If the object store is
   * unavailable, the tombstone remains for the next sweep.
   * @returns whether the deletion is complete
   */
  async deleteObjects({ appId, key }: Tombstone): Promise<boolean> {
    const condition = sql`app_id = ${appId} and key = ${key}`;
    if (!(await this.objects.isChangeable())) return false;
    try {
      // From here on, `cancel` fails.
      const begun = await run(
        this.dataSource,
        sql`update object_removals set removing = true where ${condition} returning key`,
      );
      if (begun.length > 0) {
        if (key.endsWith('/')) await this.objects.deletePrefix(key.slice(0, -1));
        else await this.objects.delete(key);
        await run(this.dataSource, sql`delete from object_removals where ${condition}`);
      }
      return true;
    } catch (error) {
      this.logger.warn({ err: error, key }, 'cannot delete a stored object; trying again later');
      return false;
    }
  }

  async sweep(): Promise<void> {
    if (!(await this.objects.isChangeable())) return;
    for (let isProgressing = true; isProgressing;) {
      const tombstones = await run<Tombstone>(
        this.dataSource,
        sql`select app_id as "appId", key from object_removals
            where due_at <= clock_timestamp() order by due_at limit ${BATCH}`,
      );
      isProgressing = false;
      for (const tombstone of tombstones) {
        if (this.stopping.aborted) return;
        isProgressing = (await this.deleteObjects(tombstone)) || isProgressing;
      }
    }
  }
}
