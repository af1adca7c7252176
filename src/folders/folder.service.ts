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

/** What one document adds to the deadline of a move, which changes its row and the entries of its indexes. */
const MOVED_MS = 10;

/** The folder tree of a tenant. What changes several things changes them in one transaction. */
@Injectable()
export class FolderService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly folders: FolderRepository,
    private readonly documents: FolderDocumentsRepository,
    private readonly removal: DocumentRemoval,
    private readonly summaries: SummaryRepository,
  ) {}

  /** @throws NotFound for an unknown folder, and in the same words for another tenant's. */
  async get(scope: Scope, name: FolderName): Promise<DescribedFolder> {
    const { id } = await this.find(this.dataSource.manager, scope, name);
    return this.describe(this.dataSource.manager, scope, id);
  }

  /** All folders, in the order of their paths. */
  list(scope: Scope): Promise<DescribedFolder[]> {
    return this.folders.describe(this.dataSource, scope, null);
  }

  /** All folders with the numbers of their documents, in the order of their paths. */
  counts(scope: Scope): Promise<CountedFolder[]> {
    return this.folders.count(scope);
  }

  /** @throws NotFound for an unknown or foreign folder, and for one without a summary. */
  async summary(scope: Scope, name: FolderName): Promise<SummaryDto> {
    const subject = await this.summarySubject(scope, name);
    const summary = await this.summaries.latest(scope, subject);
    if (summary === null) throw new NotFound('The folder has no summary');
    return toSummaryDto(subject, summary);
  }

  /** @throws NotFound for an unknown or foreign folder; Conflict when a summary is there that is to be kept. */
  async writeSummary(scope: Scope, name: FolderName, text: SummaryText): Promise<SummaryDto> {
    const subject = await this.summarySubject(scope, name);
    const summary = await this.summaries.write(scope, subject, text);
    if (summary === null) throw new NotFound('Folder not found');
    return toSummaryDto(subject, summary);
  }

  /**
   * The folder that is wanted; it and its ancestors are made where they are missing.
   * @throws NotFound for an unknown parent, Invalid for one that the path does not lie in.
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
   * Gives a folder another path; everything below it and all documents go with it. The ancestors of the new path are
   * made. A path that the folder has already changes nothing.
   * @throws NotFound, Conflict when there is a folder at the new path, Invalid when that lies in the folder itself or a
   *   path below it would be too long.
   */
  move(scope: Scope, name: FolderName, newPath: string): Promise<DescribedFolder> {
    return this.dataSource.transaction(async (manager) => {
      await this.folders.lockAlone(manager, scope);
      const { id, path } = await this.find(manager, scope, name);
      if (newPath !== path) await this.rename(manager, scope, path, newPath);
      return this.describe(manager, scope, id);
    });
  }

  /** Puts a document into a folder, out of the one that it was in. @throws NotFound for an unknown one of the two. */
  put(scope: Scope, name: FolderName, documentId: string): Promise<FolderReference> {
    return this.dataSource.transaction(async (manager) => {
      await this.folders.lockShared(manager, scope);
      const folder = await this.find(manager, scope, name);
      if (!isUuid(documentId)) throw documentNotFound();
      await this.folders.copyFor(manager, scope, folder, documentId);
      const placed = await this.documents.put(manager, scope, documentId, folder);
      if (!placed) throw documentNotFound();
      return folder;
    });
  }

  /** Takes a document out of a folder; it stays, in none. @throws NotFound when there is no such document in it. */
  takeOut(scope: Scope, name: FolderName, documentId: string): Promise<FolderReference> {
    return this.dataSource.transaction(async (manager) => {
      await this.folders.lockShared(manager, scope);
      const folder = await this.find(manager, scope, name);
      const taken = isUuid(documentId) && (await this.documents.takeOut(manager, scope, documentId, folder));
      if (!taken) throw new NotFound('Document not found in the folder');
      return folder;
    });
  }

  /**
   * Deletes a folder with the documents in it.
   * @param recursive whether all folders below it go as well, with theirs
   * @throws NotFound, Conflict when there are folders below it that are to stay.
   */
  async delete(scope: Scope, name: FolderName, recursive: boolean): Promise<FolderReference> {
    const { folder, files } = await this.dataSource.transaction(async (manager) => {
      await this.folders.lockAlone(manager, scope);
      const found = await this.find(manager, scope, name);
      const { folderIds } = await this.folders.extent(manager, scope, found.path);
      if (folderIds.length > 1 && !recursive) {
        throw new Conflict('There are folders below this one: delete them first, or all with recursive=true');
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
    if (isBelow(newPath, path)) throw Invalid.at(loc, 'Value error, a folder cannot move into itself');
    if ((await this.folders.find(manager, scope, { id: null, path: newPath })) !== null) {
      throw new Conflict('There is a folder at the new path already');
    }
    const { longest, documents } = await this.folders.extent(manager, scope, path);
    const bytes = longest - Buffer.byteLength(path) + Buffer.byteLength(newPath);
    if (bytes > MAX_PATH_BYTES) {
      throw Invalid.at(
        loc,
        `Value error, a folder path has at most ${MAX_PATH_BYTES} bytes, one below this would have ${bytes}`,
      );
    }
    await this.folders.ensure(manager, scope, parentOf(newPath));
    await withLongerDeadline(manager, documents * MOVED_MS, () =>
      this.folders.rename(manager, scope, path, newPath),
    );
  }

  /** @throws NotFound for an unknown parent, Invalid for one that the path does not lie in. */
  private async pathOf(manager: EntityManager, scope: Scope, wanted: CreateFolderRequest): Promise<string> {
    const { name, full_path: path, parent_id: parent } = wanted;
    if (parent === null) return path ?? name;
    const { path: parentPath } = await this.find(manager, scope, parent, 'Parent folder not found');
    if (path === null) return normaliseFolderPath(parentPath + name, ['body', 'name']);
    if (parentOf(path) === parentPath) return path;
    throw Invalid.at(
      ['body', 'parent_id'],
      'Value error, full_path expects the folder that it lies in, got another',
    );
  }

  private async summarySubject(scope: Scope, name: FolderName): Promise<SummarySubject> {
    return { kind: 'folder', id: (await this.get(scope, name)).id };
  }

  private async ensure(manager: EntityManager, scope: Scope, path: string): Promise<FolderReference> {
    const folder = await this.folders.ensure(manager, scope, path);
    if (folder === null) throw new Error('the root is no folder');
    return folder;
  }

  private async find(
    manager: EntityManager,
    scope: Scope,
    name: FolderName,
    sentence = 'Folder not found',
  ): Promise<FolderReference> {
    const folder = await this.folders.find(manager, scope, name);
    if (folder === null) throw new NotFound(sentence);
    return folder;
  }

  private async describe(manager: EntityManager, scope: Scope, id: string): Promise<DescribedFolder> {
    const [folder] = await this.folders.describe(manager, scope, [id]);
    // Without a lock, it may have gone since it was found.
    if (folder === undefined) throw new NotFound('Folder not found');
    return folder;
  }
}
