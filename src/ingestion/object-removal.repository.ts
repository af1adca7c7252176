import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql from 'sql-template-tag';
import { run, type Queryable } from '../database/run.js';

/** An object, or with a slash at its end everything below it. */
export interface ObjectRemoval {
  readonly appId: string;
  readonly key: string;
}

/**
 * Stored objects that have to go. A removal is written before an upload, due after a while, and taken back by the
 * transaction that makes a document of it; a delete writes one, due at once, in its transaction. So whatever moment a
 * process dies at, no object is left that nothing refers to, and none is removed that a document refers to.
 */
@Injectable()
export class ObjectRemovalRepository {
  constructor(private readonly dataSource: DataSource) {}

  async schedule(
    removal: ObjectRemoval,
    afterSeconds: number,
    database: Queryable = this.dataSource,
  ): Promise<void> {
    await run(
      database,
      sql`insert into object_removals (app_id, key, due_at)
          values (${removal.appId}, ${removal.key}, clock_timestamp() + make_interval(secs => ${afterSeconds}))
          on conflict (app_id, key) do update set due_at = excluded.due_at`,
    );
  }

  /**
   * An upload became a document.
   * @returns false when the removal is under way or done: the object must not be referred to.
   */
  async takeBack(manager: Queryable, { appId, key }: ObjectRemoval): Promise<boolean> {
    const rows = await run(
      manager,
      sql`delete from object_removals where app_id = ${appId} and key = ${key} and not removing returning key`,
    );
    return rows.length > 0;
  }

  /** Begins a removal: from now on it cannot be taken back. @returns false when it was taken back before. */
  async begin({ appId, key }: ObjectRemoval): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`update object_removals set removing = true where app_id = ${appId} and key = ${key} returning key`,
    );
    return rows.length > 0;
  }

  /** The object is gone. */
  async finish({ appId, key }: ObjectRemoval): Promise<void> {
    await run(this.dataSource, sql`delete from object_removals where app_id = ${appId} and key = ${key}`);
  }

  /** Removals that are due, or all of them when no other process can be in the middle of an upload. */
  async due(which: 'due' | 'all', limit: number): Promise<ObjectRemoval[]> {
    const rows = await run<{ app_id: string; key: string }>(
      this.dataSource,
      sql`select app_id, key from object_removals
          where due_at <= ${which === 'all' ? sql`'infinity'` : sql`clock_timestamp()`}
          order by due_at limit ${limit}`,
    );
    return rows.map(({ app_id, key }) => ({ appId: app_id, key }));
  }
}
