import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { type Scope, tenantOf } from '../../auth/scope.js';
import { run, type Queryable } from '../../database/run.js';
import { microseconds, type Position } from './creation-window.js';

/** Time for which the place of a removed file is known. A listing takes minutes at most. */
const KEPT = sql`interval '1 day'`;

/**
 * Remembers where removed files stood in the lists of their vector stores. A client may remove the files of a page and
 * then use the last of them as its cursor. The id of a file does not tell when it was attached.
 */
@Injectable()
export class DetachedFilesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Remembers the places of documents of one tenant shard, which the caller is about to delete. */
  async keep(manager: Queryable, { appId }: Scope, documentIds: readonly string[]): Promise<void> {
    const places = await run<{ folderId: string; fileId: string; place: string }>(
      manager,
      sql`select distinct on (d.folder_id, coalesce(a.file_id, d.external_id)) d.folder_id as "folderId",
            coalesce(a.file_id, d.external_id) as "fileId",
            ${microseconds(sql`coalesce(a.created_at, d.created_at)`)} as place
          from documents d left join file_attachments a on a.app_id = ${appId} and a.document_id = d.external_id
          where d.app_id = ${appId} and d.external_id = any(${documentIds}::uuid[]) and d.folder_id is not null
          order by 1, 2, 3 desc`,
    );
    if (places.length === 0) return;
    await run(
      manager,
      sql`insert into detached_files (app_id, folder_id, file_id, place)
          select ${tenantOf(appId)}, p.folder_id, p.file_id, p.place
          from unnest(${places.map(({ folderId }) => folderId)}::uuid[], ${places.map(({ fileId }) => fileId)}::uuid[],
            ${places.map(({ place }) => place)}::bigint[]) as p(folder_id, file_id, place)
          on conflict (app_id, folder_id, file_id)
            do update set place = excluded.place, detached_at = excluded.detached_at`,
    );
  }

  /** Remembers the places of a file that waits in batches of stores. */
  async keepWaiting(manager: Queryable, { appId }: Scope, fileId: string): Promise<void> {
    await run(
      manager,
      sql`insert into detached_files (app_id, folder_id, file_id, place)
          select e.app_id, e.folder_id, e.file_id, max(${microseconds(sql`e.created_at`)}) from file_batch_entries e
          where e.app_id = ${appId} and e.file_id = ${fileId}::uuid group by 1, 2, 3
          on conflict (app_id, folder_id, file_id)
            do update set place = excluded.place, detached_at = excluded.detached_at`,
    );
  }

  /** Returns the place of a removed file in its store; null if the store never had the file. */
  async find({ appId }: Scope, folderId: string, fileId: string): Promise<Position | null> {
    const [row] = await run<{ at: string }>(
      this.dataSource,
      sql`select r.place as at from detached_files r
          where r.app_id = ${appId} and r.folder_id = ${folderId}::uuid and r.file_id = ${fileId}::uuid`,
    );
    return row === undefined ? null : { at: row.at, id: fileId };
  }

  /** Forgets the places of all tenants that no listing needs any more. */
  async forget(): Promise<void> {
    await run(
      this.dataSource,
      sql`delete from detached_files where detached_at < statement_timestamp() - ${KEPT}`,
    );
  }
}
