import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { may } from '../access/may.js';
import { type Scope, shardOf } from '../auth/scope.js';
import { ChunkWriter } from '../chunks/chunk-writer.js';
import { FolderDocumentsRepository, type Placement } from '../corpus/folder-documents.repository.js';
import {
  FolderListRepository,
  type CountedFolder,
  type DescribedFolder,
  type FolderPage,
} from '../corpus/folder-list.repository.js';
import { FolderTreeRepository } from '../corpus/folder-tree.repository.js';
import {
  FolderRepository,
  type FolderName,
  type FolderReference,
  type OwnedFolder,
} from '../corpus/folder.repository.js';
import { SummaryRepository, type SummaryText } from '../corpus/summary.repository.js';
import { documentNotFound } from '../documents/document.service.js';
import { toSummaryDto, type SummaryDto } from '../documents/summary/summary.service.js';
import { Invalid, NotFound } from '../errors/index.js';
import { creatableFolder, normaliseFolderPath, parentOf, ROOT_FOLDER } from '../filters/folders.js';
import { known, listsOfFolder, mayChange, mayNotChange, requireMayChange } from './folder-rights.js';
import type { CreateFolderRequest, FolderListQuery } from './folders.dto.js';

/** Reads and makes folders, and adds documents to them. Every change is one transaction. */
@Injectable()
export class FolderService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly folders: FolderRepository,
    private readonly tree: FolderTreeRepository,
    private readonly lists: FolderListRepository,
    private readonly documents: FolderDocumentsRepository,
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
   * @throws NotFound for a folder that does not exist or is not visible to the key; Forbidden if the key may not change the folder or its documents; Conflict
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
      const { description, access_control: lists } = wanted;
      const claimed = await this.folders.claim(manager, scope, path, description);
      const folder = await this.ensure(manager, scope, path, claimed.length);
      if (claimed.includes(path)) return this.describe(manager, scope, folder.id);
      if (before === null && lists !== null && may(scope, 'manage', folder)) {
        await this.tree.setLists(manager, scope, folder.id, listsOfFolder(folder, lists));
      }
      if (description !== null && mayChange(scope, 'write', folder)) {
        await this.folders.describeFirst(manager, scope, folder.id, description);
      }
      return this.describe(manager, scope, folder.id);
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

  private async ensure(
    manager: EntityManager,
    scope: Scope,
    path: string,
    claimed: number,
  ): Promise<OwnedFolder> {
    const folder = await this.folders.ensure(manager, scope, path, claimed);
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

  /** Moves the words of a document whose readers changed. It comes last, because it locks the statistics of the tenant. */
  private async moveStatistics(manager: EntityManager, scope: Scope, documentId: string): Promise<void> {
    await this.chunks.moveStatistics(manager, shardOf(scope, documentId).appId, [documentId]);
  }
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

function withoutNext<T>(found: readonly T[], { limit }: FolderPage): Page<T> {
  return { items: found.slice(0, limit - 1), hasMore: found.length === limit };
}
