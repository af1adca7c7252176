import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { validate as isUuid } from 'uuid';
import {
  type AccessChange,
  type AccessLists,
  areSameLists,
  changedLists,
  effectiveLists,
} from '../access/access-lists.js';
import { type Action, may, refusal, requireMay } from '../access/may.js';
import { placedLists } from '../access/placed-lists.js';
import { ownerOf, type Principal } from '../access/principal.js';
import { type Scope, shardIds, shardOf } from '../auth/scope.js';
import { ChunkWriter } from '../chunks/chunk-writer.js';
import { FolderDocumentsRepository, type Placement } from '../corpus/folder-documents.repository.js';
import {
  FolderListRepository,
  type CountedFolder,
  type DescribedFolder,
  type FolderPage,
} from '../corpus/folder-list.repository.js';
import {
  FolderRepository,
  type FolderName,
  type FolderReference,
  type OwnedFolder,
} from '../corpus/folder.repository.js';
import { SummaryRepository, type SummaryText } from '../corpus/summary.repository.js';
import { withLongerDeadline } from '../database/deadline.js';
import { DocumentRemoval } from '../documents/document-removal.js';
import { documentNotFound } from '../documents/document.service.js';
import { toSummaryDto, type SummaryDto } from '../documents/summary/summary.service.js';
import { Conflict, Forbidden, Invalid, NotFound } from '../errors/index.js';
import {
  creatableFolder,
  depthOf,
  isBelow,
  MAX_FOLDER_DEPTH,
  MAX_PATH_BYTES,
  normaliseFolderPath,
  parentOf,
  ROOT_FOLDER,
} from '../filters/folders.js';
import { isMadeAsStore } from '../filters/store-folders.js';
import type { CreateFolderRequest, FolderListQuery } from './folders.dto.js';

/**
 * Time in milliseconds that each document adds to the deadline of a move. A move updates the row and the index entries
 * of each document.
 */
const MOVED_MS = 10;

/** The folder tree of a tenant. Every operation is one transaction. */
@Injectable()
export class FolderService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly folders: FolderRepository,
    private readonly lists: FolderListRepository,
    private readonly documents: FolderDocumentsRepository,
    private readonly removal: DocumentRemoval,
    private readonly summaries: SummaryRepository,
    private readonly chunks: ChunkWriter,
  ) {}

  /**
   * @throws NotFound, with the same message for an unknown folder, a folder of another tenant, and a folder whose name
   * the key may not see.
   */
  async get(scope: Scope, name: FolderName): Promise<DescribedFolder> {
    const { id } = await this.find(this.dataSource.manager, scope, name);
    return this.describe(this.dataSource.manager, scope, id);
  }

  /** Returns a page of the folders whose names the key may see, ordered by path. */
  async list(scope: Scope, request: FolderListQuery): Promise<Page<DescribedFolder>> {
    const page = await this.pageOf(scope, request);
    return withoutNext(await this.lists.list(scope, page), page);
  }

  /** Like `list`, with document counts. */
  async counts(scope: Scope, request: FolderListQuery): Promise<Page<CountedFolder>> {
    const page = await this.pageOf(scope, request);
    return withoutNext(await this.lists.count(scope, page), page);
  }

  /** Selects one folder more than requested, which tells whether more follow. */
  private async pageOf(
    scope: Scope,
    { parent_id: parent, skip, limit }: FolderListQuery,
  ): Promise<FolderPage> {
    const window = { skip, limit: limit + 1 };
    if (parent === null) return { parent: null, ...window };
    if (parent.path === ROOT_FOLDER) return { parent: ROOT_FOLDER, ...window };
    const found = await this.folders.findVisible(this.dataSource, scope, parent);
    return { parent: known(found, 'Parent folder not found').path, ...window };
  }

  /**
   * @throws NotFound for a folder that does not exist or is not visible to the key, and for a folder without a summary.
   */
  async summary(scope: Scope, name: FolderName): Promise<SummaryDto> {
    const folder = await this.find(this.dataSource.manager, scope, name);
    const subject = { kind: 'folder', id: folder.id } as const;
    const isKnown = await this.folders.isKnown(this.dataSource, scope, folder);
    const summary = isKnown ? await this.summaries.latest(scope, subject) : null;
    if (summary === null) throw new NotFound('The folder has no summary');
    return toSummaryDto(subject, summary);
  }

  /**
   * @throws NotFound for a folder that does not exist or is not visible to the key; Forbidden as for `move`; Conflict
   * if a summary exists and the mode is `first-only`.
   */
  async writeSummary(scope: Scope, name: FolderName, text: SummaryText): Promise<SummaryDto> {
    const folder = await this.get(scope, name);
    const subject = { kind: 'folder', id: folder.id } as const;
    requireMayChange(scope, 'write', folder);
    await this.documents.requireChangeable(this.dataSource, scope, [folder.id]);
    if (!(await this.folders.isKnown(this.dataSource, scope, folder))) throw mayNotChange();
    const summary = await this.summaries.write(scope, subject, text);
    if (summary === null) throw new NotFound('Folder not found');
    return toSummaryDto(subject, summary);
  }

  /**
   * Creates a folder and its missing ancestors. If the folder exists, returns what the key may see of it. A folder that
   * others made in private looks as if the key had just made it.
   *
   * @throws NotFound for an unknown parent, Invalid if the path is not below the parent.
   */
  create(scope: Scope, wanted: CreateFolderRequest): Promise<DescribedFolder> {
    return this.dataSource.transaction(async (manager) => {
      await this.folders.lockShared(manager, scope);
      const path = await this.pathOf(manager, scope, wanted);
      const before = await this.folders.find(manager, scope, { id: null, path });
      const folder = await this.ensure(manager, scope, path);
      const { description, access_control: lists } = wanted;
      if (await this.folders.claim(manager, scope, path, description)) {
        return this.describe(manager, scope, folder.id);
      }
      if (before === null && lists !== null && may(scope, 'manage', folder)) {
        await this.folders.setLists(manager, scope, folder.id, listsOfFolder(folder, lists));
      }
      if (description !== null && mayChange(scope, 'write', folder)) {
        await this.folders.describeFirst(manager, scope, folder.id, description);
      }
      return this.describe(manager, scope, folder.id);
    });
  }

  /**
   * Changes the access lists of a folder. They count for what lies below and has no lists of its own.
   *
   * @param change null: the lists of the nearest folder above that has lists count
   * @throws NotFound; Forbidden when the key may not change who reads the folder, or one of the documents below.
   */
  change(scope: Scope, name: FolderName, change: AccessChange | null): Promise<ChangedFolder> {
    return this.dataSource.transaction(async (manager) => {
      await this.folders.lockAlone(manager, scope);
      const folder = await this.find(manager, scope, name);
      requireMay(scope, 'manage', folder, 'folder');
      const { folderIds, documents } = await this.folders.extent(manager, scope, folder.path);
      await this.documents.requireChangeable(manager, scope, folderIds, 'manage');
      const lists = change === null ? null : listsOfFolder(folder, change);
      await this.folders.setLists(manager, scope, folder.id, lists);
      const changedDocuments = await withLongerDeadline(manager, documents * MOVED_MS, () =>
        this.folders.refreshLists(manager, scope, folder.path),
      );
      const described = await this.describe(manager, scope, folder.id);
      await this.moveStatistics(manager, scope, null);
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
      const folder = await this.find(manager, scope, name);
      if (newPath !== folder.path) await this.rename(manager, scope, folder, newPath);
      const described = await this.describe(manager, scope, folder.id);
      await this.moveStatistics(manager, scope, null);
      return described;
    });
  }

  /**
   * Adds a document to a folder and removes it from its current folder.
   * @throws NotFound if the folder or the document is unknown; Forbidden when the key may not change the document, or may
   * not add to the folder.
   */
  put(scope: Scope, name: FolderName, documentId: string): Promise<Placement & FolderReference> {
    return this.dataSource.transaction(async (manager) => {
      await this.folders.lockShared(manager, scope);
      const folder = known(await this.folders.findOpen(manager, scope, name));
      if (!isUuid(documentId)) throw documentNotFound();
      await this.folders.copyFor(manager, scope, folder, documentId);
      const placed = await this.documents.put(manager, scope, documentId, folder);
      if (placed === null) throw documentNotFound();
      await this.folders.dropClaims(manager, scope, folder.path);
      await this.moveStatistics(manager, scope, placed.row.external_id);
      return { ...folder, ...placed };
    });
  }

  /**
   * Removes a document from a folder. The document remains, but is in no folder.
   * @throws NotFound if the document is not in the folder; Forbidden when the key may not change the document.
   */
  removeDocument(scope: Scope, name: FolderName, documentId: string): Promise<Placement & FolderReference> {
    return this.dataSource.transaction(async (manager) => {
      await this.folders.lockShared(manager, scope);
      const folder = await this.find(manager, scope, name);
      const taken = isUuid(documentId)
        ? await this.documents.removeDocument(manager, scope, documentId, folder)
        : null;
      if (taken === null) throw new NotFound('Document not found in the folder');
      await this.moveStatistics(manager, scope, taken.row.external_id);
      return { ...folder, ...taken };
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
      const found = await this.find(manager, scope, name);
      const folderIds = await this.removable(manager, scope, found);
      const seen = await this.folders.namesWithin(manager, scope, found.path);
      if (seen.length > 1 && !recursive) {
        throw new Conflict('The folder has subfolders: delete them first, or set recursive=true');
      }
      const ids = await this.documents.lock(manager, scope, folderIds, 'manage');
      const removed = await this.removal.remove(manager, scope, ids);
      await this.folders.delete(manager, scope, found.path);
      return { folder: found, files: removed };
    });
    await this.removal.deleteFiles(files);
    return folder;
  }

  /**
   * Returns the ids of a folder and of its subfolders, if the key may delete them. The owner of a folder also deletes
   * empty subfolders that others made in it.
   * @throws Forbidden
   */
  private async removable(manager: EntityManager, scope: Scope, folder: OwnedFolder): Promise<string[]> {
    requireMayChange(scope, 'manage', folder);
    const all = await this.folders.within(manager, scope, folder.path);
    const isOwn = folder.owner !== null && folder.owner === ownerOf(scope);
    if (!isOwn && !all.every((one) => mayChange(scope, 'manage', one))) throw mayNotChange();
    return all.map(({ id }) => id);
  }

  /**
   * Moves the words of documents whose readers changed. It comes last, because it locks the statistics of the tenant.
   * @param documentId null: documents below a folder
   */
  private async moveStatistics(
    manager: EntityManager,
    scope: Scope,
    documentId: string | null,
  ): Promise<void> {
    if (documentId !== null) {
      await this.chunks.moveStatistics(manager, shardOf(scope, documentId).appId, [documentId]);
      return;
    }
    for (const appId of shardIds(scope)) await this.chunks.moveStatistics(manager, appId, null);
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
    const { folderIds, longest, deepest, documents } = await this.folders.extent(manager, scope, path);
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
    await this.folders.setLists(manager, scope, id, own);
    await withLongerDeadline(manager, documents * MOVED_MS, async () => {
      await this.folders.rename(manager, scope, path, newPath);
      await this.folders.refreshLists(manager, scope, newPath);
    });
  }

  /** @throws NotFound for an unknown parent, Invalid if the path is not below the parent. */
  private async pathOf(manager: EntityManager, scope: Scope, wanted: CreateFolderRequest): Promise<string> {
    const { name, full_path: path, parent_id: parent } = wanted;
    if (parent === null) return path ?? name;
    const found = await this.folders.findVisible(manager, scope, parent);
    const { path: parentPath } = known(found, 'Parent folder not found');
    if (path === null) {
      const loc = ['body', 'name'];
      return creatableFolder(normaliseFolderPath(parentPath + name, loc), loc);
    }
    if (parentOf(path) === parentPath) return path;
    throw Invalid.at(['body', 'parent_id'], 'Value error, parent_id is not the parent of full_path');
  }

  private async ensure(manager: EntityManager, scope: Scope, path: string): Promise<OwnedFolder> {
    const folder = await this.folders.ensure(manager, scope, path);
    if (folder === null) throw new Error('the root is not a folder');
    return folder;
  }

  private async find(manager: EntityManager, scope: Scope, name: FolderName): Promise<OwnedFolder> {
    return known(await this.folders.findVisible(manager, scope, name));
  }

  private async describe(manager: EntityManager, scope: Scope, id: string): Promise<DescribedFolder> {
    const [folder] = await this.lists.describe(manager, scope, [id]);
    return known(folder ?? null); // null if the folder was deleted after the lookup, which takes no lock
  }
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

function withoutNext<T>(found: readonly T[], { limit }: FolderPage): Page<T> {
  return { items: found.slice(0, limit - 1), hasMore: found.length === limit };
}

/** A folder after a change of its lists. */
export interface ChangedFolder {
  readonly described: DescribedFolder;
  /** Number of documents whose readers, writers or admins changed. */
  readonly changedDocuments: number;
}

/**
 * Returns the lists of a folder after a change. The person who made the folder is among the admins, because what others
 * put into it inherits these lists.
 */
function listsOfFolder({ owner, access }: OwnedFolder, change: AccessChange): AccessLists {
  const lists = changedLists(access, change);
  const maker = (owner === null ? [] : [owner]) as Principal[]; // keys own talk only
  return { ...lists, admins: [...new Set([...lists.admins, ...maker])] };
}

/**
 * Tells whether a key may change a folder, apart from its documents. A folder of the tenant without lists is everybody's
 * to arrange. A vector store is not: it has a name and metadata of its own.
 */
function mayChange(scope: Scope, action: Action, folder: OwnedFolder): boolean {
  const isEverybodys = folder.owner === null && effectiveLists(folder) === null && !isMadeAsStore(folder);
  return isEverybodys || may(scope, action, folder);
}

function requireMayChange(scope: Scope, action: Action, folder: OwnedFolder): void {
  if (!mayChange(scope, action, folder)) throw new Forbidden(refusal('folder', folder));
}

function mayNotChange(): Forbidden {
  return new Forbidden('The folder has parts that this key may not change');
}

function known<T extends FolderReference>(folder: T | null, sentence = 'Folder not found'): T {
  if (folder === null) throw new NotFound(sentence);
  return folder;
}
