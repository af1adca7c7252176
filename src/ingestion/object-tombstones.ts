import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { run, type Queryable } from '../database/run.js';
import { ObjectStore } from '../storage/object-store.js';

/** A stored object that has to go, or with a slash at its end everything below it. */
export interface Tombstone {
  readonly appId: string;
  readonly key: string;
}

const LOOK_EVERY_MS = 60_000;
const BATCH = 100;

/**
 * Tombstones of stored objects. One is written before an upload, due after a while, and taken back by the transaction
 * that makes a document of it; a delete writes one, due at once, in its transaction. So whatever moment a process dies
 * at, no object is left that nothing refers to, and none is deleted that a document refers to. Objects are deleted at
 * once when told to, and now and then what a process that died, or a store that was down, left over.
 */
@Injectable()
export class ObjectTombstones implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ObjectTombstones.name);
  private timer: NodeJS.Timeout | undefined;
  private deleting: Promise<void> = Promise.resolve();
  private isStopping = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly dataSource: DataSource,
    private readonly objects: ObjectStore,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.WORKER === 'off') return;
    // The embedded database has one process: every upload that was begun before is an abandoned one.
    if (this.settings.DATABASE_URL === undefined) {
      await run(this.dataSource, sql`update object_removals set due_at = clock_timestamp()`);
    }
    // A store that is slow or down holds up neither the start nor the end.
    this.deleting = this.deleteLeftOver();
    this.timer = setInterval(() => {
      this.deleting = this.deleting.then(() => this.deleteLeftOver());
    }, LOOK_EVERY_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    await this.deleting;
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

  /** Several tombstones of a tenant, due at once. */
  async addAll(database: Queryable, appId: string, keys: readonly string[]): Promise<void> {
    await run(
      database,
      sql`insert into object_removals (app_id, key, due_at)
          select ${appId}, key, clock_timestamp() from unnest(${keys}::text[]) as key
          on conflict (app_id, key) do update set due_at = excluded.due_at`,
    );
  }

  /**
   * An upload became a document.
   * @returns false when the deletion is under way or done: the object must not be referred to.
   */
  async takeBack(manager: Queryable, { appId, key }: Tombstone): Promise<boolean> {
    const rows = await run(
      manager,
      sql`delete from object_removals where app_id = ${appId} and key = ${key} and not removing returning key`,
    );
    return rows.length > 0;
  }

  /**
   * Deletes the objects of a tombstone that was not taken back, and then the tombstone. A store that is down leaves them
   * for later. @returns whether it is done.
   */
  async deleteObjects({ appId, key }: Tombstone): Promise<boolean> {
    const condition = sql`app_id = ${appId} and key = ${key}`;
    if (!(await this.objects.isChangeable())) return false;
    try {
      // From here on it cannot be taken back.
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

  private async deleteLeftOver(): Promise<void> {
    if (!(await this.objects.isChangeable())) return;
    try {
      for (let ahead = true; ahead;) {
        const tombstones = await run<Tombstone>(
          this.dataSource,
          sql`select app_id as "appId", key from object_removals
              where due_at <= clock_timestamp() order by due_at limit ${BATCH}`,
        );
        ahead = false;
        for (const tombstone of tombstones) {
          if (this.isStopping) return;
          ahead = (await this.deleteObjects(tombstone)) || ahead;
        }
      }
    } catch (error) {
      this.logger.error({ err: error }, 'cannot look for stored objects to delete');
    }
  }
}
