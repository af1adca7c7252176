import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type AccessChange, areSameLists, effectiveLists } from '../access/access-lists.js';
import { requireMay } from '../access/may.js';
import { placedLists } from '../access/placed-lists.js';
import { type Scope, shardIds } from '../auth/scope.js';
import { ChunkWriter } from '../chunks/chunk-writer.js';
import { FolderDocumentsRepository } from '../corpus/folder-documents.repository.js';
import { FolderListRepository, type DescribedFolder } from '../corpus/folder-list.repository.js';
import { FolderTreeRepository } from '../corpus/folder-tree.repository.js';
import {
  FolderRepository,
  type FolderName,
  type FolderReference,
  type OwnedFolder,
} from '../corpus/folder.repository.js';
import { withLongerDeadline } from '../database/deadline.js';
import { DocumentRemoval } from '../documents/document-removal.js';
import { Conflict, Invalid } from '../errors/index.js';
import { depthOf, isBelow, MAX_FOLDER_DEPTH, MAX_PATH_BYTES, parentOf } from '../filters/folders.js';
import { known, listsOfFolder, mayChangeTree, mayNotChange, requireMayChange } from './folder-rights.js';

/**
 * Time in milliseconds that each document adds to the deadline of a move. A move updates the row and the index entries
 * of each document.
 */
const MOVED_MS = 10;

/** A folder after a change of its lists. */
export interface ChangedFolder {
  readonly described: DescribedFolder;
  /** Number of documents whose readers, writers or admins changed. */
  readonly changedDocuments: number;
}

/** What the key may do with a folder and all that lies below it. */
export interface FolderRights {
  readonly mayRename: boolean;
  readonly mayDelete: boolean;
}

/** Changes a folder together with all that lies below it. Every operation is one transaction. */
@Injectable()
export class FolderTreeService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly folders: FolderRepository,
    private readonly tree: FolderTreeRepository,
    private readonly lists: FolderListRepository,
    private readonly documents: FolderDocumentsRepository,
    private readonly removal: DocumentRemoval,
    private readonly chunks: ChunkWriter,
  ) {}

  /**
   * Changes the access lists of a folder. They count for what lies below and has no lists of its own, also for what others
   * add. Nobody can keep who shares a folder from taking that back by adding to it.
   *
   * @param change null: the lists of the nearest folder above that has lists count
   * @throws NotFound; Forbidden when the key may not change who reads the folder, or one of the documents that follow it.
   */
  change(scope: Scope, name: FolderName, change: AccessChange | null): Promise<ChangedFolder> {
    return this.dataSource.transaction(async (manager) => {
      await this.folders.lockAlone(manager, scope);
      const folder = known(await this.folders.findVisible(manager, scope, name));
      requireMay(scope, 'manage', folder, 'folder');
      const { folderIds, documents } = await this.tree.extent(manager, scope, folder.path);
      await this.documents.requireListable(manager, scope, folderIds);
      const lists = change === null ? null : listsOfFolder(folder, change);
      await this.tree.setLists(manager, scope, folder.id, lists);
      const changedDocuments = await withLongerDeadline(manager, documents * MOVED_MS, () =>
        this.tree.refreshLists(manager, scope, folder.path),
      );
      const described = await this.describe(manager, scope, folder.id);
      await this.moveStatistics(manager, scope);
      return { described, changedDocuments };
    });
  }

  /**
   * Changes the path of a folder, including its subfolders and documents. Creates missing ancestors of the new path.
   * Does nothing if the folder already has the path.
   *
   * @throws NotFound; Forbidden when the key may not change one of the documents; Conflict if a folder exists at the
   * new path; Invalid if the new path is inside the folder itself, or the path of a descendant would be too long.
   */
  move(scope: Scope, name: FolderName, newPath: string): Promise<DescribedFolder> {
    return this.dataSource.transaction(async (manager) => {
      await this.folders.lockAlone(manager, scope);
      const folder = known(await this.folders.findVisible(manager, scope, name));
      if (newPath !== folder.path) await this.rename(manager, scope, folder, newPath);
      const described = await this.describe(manager, scope, folder.id);
      await this.moveStatistics(manager, scope);
      return described;
    });
  }

  /**
   * Deletes a folder with its documents.
   *
   * @param recursive whether to delete its subfolders with their documents too
   * @throws NotFound; Forbidden when the key may not change one of the documents; Conflict if the folder has subfolders
   * and `recursive` is false.
   */
  async delete(scope: Scope, name: FolderName, recursive: boolean): Promise<FolderReference> {
    const { folder, files } = await this.dataSource.transaction(async (manager) => {
      await this.folders.lockAlone(manager, scope);
      const found = known(await this.folders.findVisible(manager, scope, name));
      const folderIds = await this.removable(manager, scope, found);
      const seen = await this.tree.namesWithin(manager, scope, found.path);
      if (seen.length > 1 && !recursive) {
        throw new Conflict('The folder has subfolders: delete them first, or set recursive=true');
      }
      const ids = await this.documents.lock(manager, scope, folderIds, 'manage');
      const removed = await this.removal.remove(manager, scope, ids);
      await this.tree.delete(manager, scope, found.path);
      return { folder: found, files: removed };
    });
    await this.removal.deleteFiles(files);
    return folder;
  }

  /**
   * Tells whether the key may rename and delete a folder with all that lies below it, as {@link move} and {@link delete}
   * would decide now.
   */
  async rights(scope: Scope, folder: OwnedFolder): Promise<FolderRights> {
    const all = await this.tree.within(this.dataSource.manager, scope, folder.path);
    const isRefused = !scope.permissions.has('write') || !mayChangeTree(scope, folder, all);
    if (isRefused) return { mayRename: false, mayDelete: false };
    const right = await this.documents.rightIn(
      scope,
      all.map(({ id }) => id),
    );
    return { mayRename: right !== 'read', mayDelete: right === 'manage' };
  }

  /**
   * Returns the ids of a folder and of its subfolders, if the key may change them.
   * @throws Forbidden
   */
  private async removable(manager: EntityManager, scope: Scope, folder: OwnedFolder): Promise<string[]> {
    requireMayChange(scope, 'manage', folder);
    const all = await this.tree.within(manager, scope, folder.path);
    if (!mayChangeTree(scope, folder, all)) throw mayNotChange();
    return all.map(({ id }) => id);
  }

  private async rename(
    manager: EntityManager,
    scope: Scope,
    { id, path, ...owned }: OwnedFolder,
    newPath: string,
  ): Promise<void> {
    const loc = ['body', 'new_path'];
    if (isBelow(newPath, path)) throw Invalid.at(loc, 'Value error, a folder cannot be moved into itself');
    if ((await this.folders.find(manager, scope, { id: null, path: newPath })) !== null) {
      throw new Conflict('A folder exists at the new path');
    }
    await this.removable(manager, scope, { id, path, ...owned });
    const { folderIds, longest, deepest, documents } = await this.tree.extent(manager, scope, path);
    await this.documents.requireChangeable(manager, scope, folderIds);
    const bytes = longest - Buffer.byteLength(path) + Buffer.byteLength(newPath);
    if (bytes > MAX_PATH_BYTES) {
      throw Invalid.at(
        loc,
        `Value error, a folder path has at most ${MAX_PATH_BYTES} bytes, but a subfolder's path would have ${bytes}`,
      );
    }
    const depth = deepest - depthOf(path) + depthOf(newPath);
    if (depth > MAX_FOLDER_DEPTH) {
      throw Invalid.at(
        loc,
        `Value error, a folder has at most ${MAX_FOLDER_DEPTH} levels, but a subfolder would be at level ${depth}`,
      );
    }
    const parent = await this.folders.ensure(manager, scope, parentOf(newPath));
    const inherited = parent === null ? null : effectiveLists(parent);
    const own = parent === null ? owned.access : placedLists(scope, parent, owned.access);
    if (!areSameLists(effectiveLists(owned), own ?? inherited)) {
      await this.documents.requireChangeable(manager, scope, folderIds, 'manage');
    }
    await this.tree.setLists(manager, scope, id, own);
    await withLongerDeadline(manager, documents * MOVED_MS, async () => {
      await this.tree.rename(manager, scope, path, newPath);
      for (const place of [newPath, path]) await this.tree.refreshLists(manager, scope, place);
    });
  }

  private async describe(manager: EntityManager, scope: Scope, id: string): Promise<DescribedFolder> {
    const [folder] = await this.lists.describe(manager, scope, [id]);
    return known(folder ?? null);
  }

  /** Moves the words of documents whose readers changed. It comes last, because it locks the statistics of the tenant. */
  private async moveStatistics(manager: EntityManager, scope: Scope): Promise<void> {
    for (const appId of shardIds(scope)) await this.chunks.moveStatistics(manager, appId, null);
  }
}
