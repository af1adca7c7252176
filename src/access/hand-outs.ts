import { Injectable } from '@nestjs/common';
import sql, { join, raw } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { type Scope, shardIds } from '../auth/scope.js';
import { run } from '../database/run.js';
import { Forbidden } from '../errors/index.js';
import { type Principal, principalsOf } from './principal.js';

/** Tables of owned things. */
const OWNED = ['documents', 'folders', 'files', 'file_batches', 'conversations'] as const;

/**
 * Checks what administrators with a person hand out. They invite people and fill groups, and so could act as anybody: with
 * a key of a person, a sign-in link for it, or as a member of a group.
 */
@Injectable()
export class HandOuts {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Checks that a caller may hand out what acts as a principal. A caller who does not read everything hands out only what
   * reads nothing that the caller may not read.
   * @throws Forbidden
   */
  async require(scope: Scope, principal: Principal): Promise<void> {
    const own = principalsOf(scope);
    if (own === null) return;
    const [row] = await run<{ principals: string[] }>(
      this.dataSource,
      sql`select ${[principal]}::text[] || array(
            select 'group:' || m.group_id from group_members m
            where m.app_id = ${scope.appId} and 'user:' || m.end_user_id = ${principal}) as principals`,
    );
    const principals = row?.principals ?? [principal];
    const reads = OWNED.map(
      (table) =>
        sql`exists (select t.app_id from ${raw(table)} t
            where t.app_id = any(${shardIds(scope)}::text[])
              and t.readers && ${principals}::text[] and not t.readers && ${own}::text[])`,
    );
    const [more] = await run<{ reads: boolean }>(
      this.dataSource,
      sql`select ${join(reads, ' or ')} as reads`,
    );
    if (more?.reads === false) return;
    throw new Forbidden(
      `${principal} reads what this key may not read: only an admin key without an end user may hand this out`,
    );
  }
}
