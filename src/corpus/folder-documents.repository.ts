import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql, { empty, type Sql } from 'sql-template-tag';
import { type AccessLists, areSameLists, effectiveLists, listsOrNull } from '../access/access-lists.js';
import { type Action, may, type Owned, requireMay, type Right, rightOf } from '../access/may.js';
import { placedLists } from '../access/placed-lists.js';
import { type Scope, shardOf, shardsOf } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { Forbidden } from '../errors/index.js';
import { documentPredicate } from '../filters/document-predicate.js';
import type { Filter } from '../filters/filter.js';
import { TRUE } from '../filters/sql/expressions.js';
import { DocumentListRepository, orderOf, windowOf, type Page } from './document-list.repository.js';
import { DocumentRepository, STATUS } from './document.repository.js';
import { recordEvents } from './document-events.js';
import { DOCUMENT_COLUMNS, textOf, type DocumentRow, type DocumentStatus } from './document-row.js';
import type { FolderReference, OwnedFolder } from './folder.repository.js';

/** Number of documents that are directly in a folder and have this public status. */
export interface FolderCount {
  readonly folderId: string;
  readonly status: DocumentStatus;
  readonly count: number;
}

@Injectable()
export class FolderDocumentsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly listed: DocumentListRepository,
  ) {}

  /** Counts the matching documents directly in each folder, by status. */
  async countByStatus(
    scope: Scope,
    folderIds: readonly string[],
    filter: Filter | null,
  ): Promise<FolderCount[]> {
    return run(
      this.dataSource,
      sql`select d.folder_id as "folderId", ${STATUS} as status, count(*)::integer as count from documents d
          where ${documentPredicate(scope, { filter })} and d.folder_id = any(${folderIds}::uuid[])
          group by 1, 2 order by 1, 2`,
    );
  }

  /**
   * Lists the matching documents directly in each folder.
   * @param withText whether to include texts
   */
  async list(
    scope: Scope,
    folderIds: readonly string[],
    filter: Filter | null,
    page: Page,
    withText: boolean,
  ): Promise<(DocumentRow & { readonly text?: string })[]> {
    if (scope.shards > 1) {
      const rows: DocumentRow[] = [];
      for (const folderId of folderIds) {
        const selection = { filter, folderId };
        const ofFolder = withText
          ? this.listed.listWithText(scope, selection, page)
          : this.listed.list(scope, selection, page);
        rows.push(...(await ofFolder));
      }
      return rows;
    }
    return run(
      this.dataSource,
      sql`select ${DOCUMENT_COLUMNS}${withText ? sql`, ${textOf(scope)}` : empty}
          from unnest(${folderIds}::uuid[]) with ordinality as f(folder_id, place)
          cross join lateral (
            select d.* from documents d
            where ${documentPredicate(scope, { filter })} and d.folder_id = f.folder_id ${windowOf(page)}
          ) d
          ${orderOf(page, sql`f.place, `)}`,
    );
  }

  /**
   * Locks all documents directly in the folders, in the order of shards and ids, and returns their ids.
   * @param which condition on a document `d`
   * @throws Forbidden when the key may not change one of the documents.
   */
  async lock(
    manager: Queryable,
    scope: Scope,
    folderIds: readonly string[],
    action: Action = 'write',
    which: Sql = TRUE,
  ): Promise<string[]> {
    const ids: string[] = [];
    for (const { appId } of shardsOf(scope)) {
      const rows = await run<Owned & { id: string }>(
        manager,
        sql`select d.external_id as id, d.owner, d.access, d.folder_access from documents d
            where d.app_id = ${appId} and d.folder_id = any(${folderIds}::uuid[]) and ${which}
            order by d.external_id for no key update of d`,
      );
      if (!rows.every((row) => may(scope, action, row))) {
        throw new Forbidden('The folder has documents that this key may not change');
      }
      ids.push(...rows.map(({ id }) => id));
    }
    return ids;
  }

  /** Returns what the key may do with every document directly in the folders; `manage` without documents. */
  async rightIn(scope: Scope, folderIds: readonly string[]): Promise<Right> {
    if (scope.reach === 'all') return rightOf(scope, { owner: null });
    const found = await Promise.all(
      shardsOf(scope).map(({ appId }) =>
        run<Owned>(
          this.dataSource,
          sql`select distinct d.owner, d.access, d.folder_access from documents d
              where d.app_id = ${appId} and d.folder_id = any(${folderIds}::uuid[])`,
        ),
      ),
    );
    const rights = found.flat().map((row) => rightOf(scope, row));
    return (['read', 'write'] as const).find((right) => rights.includes(right)) ?? 'manage';
  }

  /**
   * Checks that the key may change all documents directly in the folders, and locks these documents like `lock`. Does
   * nothing for a key that reads all documents, because such a key may change every document.
   * @throws Forbidden when the key may not change one of the documents.
   */
  async requireChangeable(
    manager: Queryable,
    scope: Scope,
    folderIds: readonly string[],
    action: Action = 'write',
  ): Promise<void> {
    if (scope.reach !== 'all') await this.lock(manager, scope, folderIds, action);
  }

  /**
   * Checks that the key may change the lists of the folders, which changes who reads the documents that follow them. The
   * maker of a folder is among the admins on its lists, and so of the documents that follow them. A writer who moves
   * documents of others into a subfolder is not. Documents with lists of their own and private ones keep them.
   * @throws Forbidden when the key may not change who reads one of the documents.
   */
  async requireListable(manager: Queryable, scope: Scope, folderIds: readonly string[]): Promise<void> {
    if (scope.reach === 'all') return;
    const which = sql`d.access is null and (d.folder_access is not null or d.owner is null)`;
    await this.lock(manager, scope, folderIds, 'manage', which);
  }

  /**
   * Moves a document to a folder. A document without lists of its own gets the access lists of the folder.
   * @returns null if the document does not exist
   * @throws Forbidden when the key may not change the document, may not change who reads it although the move would, or
   * may not add to the folder.
   */
  async put(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    folder: OwnedFolder,
  ): Promise<Placement | null> {
    const row = await this.documents.lock(manager, scope, documentId);
    if (row === null) return null;
    return this.place(manager, scope, row, folder, placedLists(scope, folder, row.access));
  }

  /**
   * Removes a document from a folder.
   * @returns null if the folder does not contain the document
   * @throws Forbidden as for `put`
   */
  async removeDocument(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    { id }: FolderReference,
  ): Promise<Placement | null> {
    const row = await this.documents.lock(manager, scope, documentId);
    if (row?.folder_id !== id) return null;
    return this.place(manager, scope, row, null, row.access);
  }

  private async place(
    manager: Queryable,
    scope: Scope,
    before: DocumentRow,
    folder: OwnedFolder | null,
    access: AccessLists | null,
  ): Promise<Placement> {
    const inherited = folder === null ? null : effectiveLists(folder);
    const changesAccess = !areSameLists(effectiveLists(before), access ?? inherited);
    if (changesAccess) requireMay(scope, 'manage', before);
    const { appId } = shardOf(scope, before.external_id);
    const rows = await run<DocumentRow>(
      manager,
      sql`update documents d set folder_id = ${folder?.id ?? null}::uuid, folder_path = ${folder?.path ?? null},
            access = ${listsOrNull(access)}::jsonb, folder_access = ${listsOrNull(inherited)}::jsonb,
            updated_at = statement_timestamp()
          where d.app_id = ${appId} and d.external_id = ${before.external_id}::uuid returning ${DOCUMENT_COLUMNS}`,
    );
    await recordEvents(manager, appId, 'document.updated', rows);
    const [row = before] = rows;
    return { row, changesAccess };
  }
}

/** A document in its new place. */
export interface Placement {
  readonly row: DocumentRow;
  /** Whether the move changed who may read or change the document. */
  readonly changesAccess: boolean;
}
