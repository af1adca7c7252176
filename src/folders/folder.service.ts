import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { validate as isUuid } from 'uuid';
import type { Scope } from '../auth/scope.js';
import { FolderDocumentsRepository } from '../corpus/folder-documents.repository.js';
import {
  FolderRepository,
  type CountedFolder,
  type DescribedFolder,
  type FolderName,
  type FolderReference,
} from '../corpus/folder.repository.js';
import { SummaryRepository, type SummarySubject, type SummaryText } from '../corpus/summary.repository.js';
import { withLongerDeadline } from '../database/deadline.js';
import { DocumentRemoval } from '../documents/document-removal.js';
import { documentNotFound } from '../documents/document.service.js';
import { toSummaryDto, type SummaryDto } from '../documents/summary/summary.service.js';
import { Conflict, Invalid, NotFound } from '../errors/index.js';
import { isBelow, MAX_PATH_BYTES, normaliseFolderPath, parentOf } from '../filters/folders.js';
import type { CreateFolderRequest } from './folders.dto.js';

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
    private readonly documents: FolderDocumentsRepository,
    private readonly removal: DocumentRemoval,
    private readonly summaries: SummaryRepository,
  ) {}

  /**
   * @throws NotFound, with the same message for an unknown folder, a folder of another tenant, and a folder whose name
   * the key may not see.
   */
  async get(scope: Scope, name: FolderName): Promise<DescribedFolder> {
    const { id } = await this.find(this.dataSource.manager, scope, name);
    return this.describe(this.dataSource.manager, scope, id);
  }

  /** Returns all folders whose names the key may see, ordered by path. */
  list(scope: Scope): Promise<DescribedFolder[]> {
    return this.folders.describe(this.dataSource, scope, null);
  }

  /** Like `list`, with document counts. */
  counts(scope: Scope): Promise<CountedFolder[]> {
    return this.folders.count(scope);
  }

  /**
   * @throws NotFound for a folder that does not exist or is not visible to the key, and for a folder without a summary.
   */
  async summary(scope: Scope, name: FolderName): Promise<SummaryDto> {
    const subject = await this.summarySubject(scope, name);
    const summary = await this.summaries.latest(scope, subject);
    if (summary === null) throw new NotFound('The folder has no summary');
    return toSummaryDto(subject, summary);
  }

  /**
   * @throws NotFound for a folder that does not exist or is not visible to the key; Forbidden as for `move`; Conflict
   * if a summary exists and the mode is `first-only`.
   */
  async writeSummary(scope: Scope, name: FolderName, text: SummaryText): Promise<SummaryDto> {
    const subject = await this.summarySubject(scope, name);
    await this.documents.requireChangeable(this.dataSource, scope, [subject.id]);
    const summary = await this.summaries.write(scope, subject, text);
    if (summary === null) throw new NotFound('Folder not found');
    return toSummaryDto(subject, summary);
  }

  /**
   * Creates a folder and its missing ancestors. If the folder exists, returns it.
   *
   * @throws NotFound for an unknown parent, Invalid if the path is not below the parent.
   */
  create(scope: Scope, wanted: CreateFolderRequest): Promise<DescribedFolder> {
    return this.dataSource.transaction(async (manager) => {
      await this.folders.lockShared(manager, scope);
      const path = await this.pathOf(manager, scope, wanted);
      const folder = await this.ensure(manager, scope, path);
      if (wanted.description !== null) {
        await this.folders.describeFirst(manager, scope, folder.id, wanted.description);
      }
      return this.describe(manager, scope, folder.id);
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
      const { id, path } = await this.find(manager, scope, name);
      if (newPath !== path) await this.rename(manager, scope, path, newPath);
      return this.describe(manager, scope, id);
    });
  }

  /**
   * Adds a document to a folder and removes it from its current folder.
   * @throws NotFound if the folder or the document is unknown; Forbidden when the key may not change the document.
   */
  put(scope: Scope, name: FolderName, documentId: string): Promise<FolderReference> {
    return this.dataSource.transaction(async (manager) => {
      await this.folders.lockShared(manager, scope);
      // A key may add documents to a folder whose name it may not see, just as it may create a folder with this name.
      const folder = known(await this.folders.find(manager, scope, name));
      if (!isUuid(documentId)) throw documentNotFound();
      await this.folders.copyFor(manager, scope, folder, documentId);
      const placed = await this.documents.put(manager, scope, documentId, folder);
      if (!placed) throw documentNotFound();
      return folder;
    });
  }

  /**
   * Removes a document from a folder. The document remains, but is in no folder.
   * @throws NotFound if the document is not in the folder; Forbidden when the key may not change the document.
   */
  removeDocument(scope: Scope, name: FolderName, documentId: string): Promise<FolderReference> {
    return this.dataSource.transaction(async (manager) => {
      await this.folders.lockShared(manager, scope);
      const folder = await this.find(manager, scope, name);
      const taken =
        isUuid(documentId) && (await this.documents.removeDocument(manager, scope, documentId, folder));
      if (!taken) throw new NotFound('Document not found in the folder');
      return folder;
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
      const { folderIds } = await this.folders.extent(manager, scope, found.path);
      if (folderIds.length > 1 && !recursive) {
        throw new Conflict('The folder has subfolders: delete them first, or set recursive=true');
      }
      const ids = await this.documents.lock(manager, scope, folderIds);
      const removed = await this.removal.remove(manager, scope, ids);
      await this.folders.delete(manager, scope, found.path);
      return { folder: found, files: removed };
    });
    await this.removal.deleteFiles(files);
    return folder;
  }

  private async rename(manager: EntityManager, scope: Scope, path: string, newPath: string): Promise<void> {
    const loc = ['body', 'new_path'];
    if (isBelow(newPath, path)) throw Invalid.at(loc, 'Value error, a folder cannot be moved into itself');
    if ((await this.folders.find(manager, scope, { id: null, path: newPath })) !== null) {
      throw new Conflict('A folder exists at the new path');
    }
    const { folderIds, longest, documents } = await this.folders.extent(manager, scope, path);
    await this.documents.requireChangeable(manager, scope, folderIds);
    const bytes = longest - Buffer.byteLength(path) + Buffer.byteLength(newPath);
    if (bytes > MAX_PATH_BYTES) {
      throw Invalid.at(
        loc,
        `Value error, a folder path has at most ${MAX_PATH_BYTES} bytes, but a subfolder's path would have ${bytes}`,
      );
    }
    await this.folders.ensure(manager, scope, parentOf(newPath));
    await withLongerDeadline(manager, documents * MOVED_MS, () =>
      this.folders.rename(manager, scope, path, newPath),
    );
  }

  /** @throws NotFound for an unknown parent, Invalid if the path is not below the parent. */
  private async pathOf(manager: EntityManager, scope: Scope, wanted: CreateFolderRequest): Promise<string> {
    const { name, full_path: path, parent_id: parent } = wanted;
    if (parent === null) return path ?? name;
    const found = await this.folders.find(manager, scope, parent);
    const { path: parentPath } = known(found, 'Parent folder not found');
    if (path === null) return normaliseFolderPath(parentPath + name, ['body', 'name']);
    if (parentOf(path) === parentPath) return path;
    throw Invalid.at(['body', 'parent_id'], 'Value error, parent_id is not the parent of full_path');
  }

  private async summarySubject(scope: Scope, name: FolderName): Promise<SummarySubject> {
    return { kind: 'folder', id: (await this.get(scope, name)).id };
  }

  private async ensure(manager: EntityManager, scope: Scope, path: string): Promise<FolderReference> {
    const folder = await this.folders.ensure(manager, scope, path);
    if (folder === null) throw new Error('the root is not a folder');
    return folder;
  }

  private async find(manager: EntityManager, scope: Scope, name: FolderName): Promise<FolderReference> {
    return known(await this.folders.findVisible(manager, scope, name));
  }

  private async describe(manager: EntityManager, scope: Scope, id: string): Promise<DescribedFolder> {
    const [folder] = await this.folders.describe(manager, scope, [id]);
    return known(folder ?? null); // null if the folder was deleted after the lookup, which takes no lock
  }
}

function known<T extends FolderReference>(folder: T | null, sentence = 'Folder not found'): T {
  if (folder === null) throw new NotFound(sentence);
  return folder;
}
