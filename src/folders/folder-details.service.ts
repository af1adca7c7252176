import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import type { DocumentRow } from '../corpus/document-row.js';
import { FolderDocumentsRepository, type FolderCount } from '../corpus/folder-documents.repository.js';
import { FolderListRepository, type DescribedFolder } from '../corpus/folder-list.repository.js';
import { FolderRepository } from '../corpus/folder.repository.js';
import { asksForText, projectedRecord } from '../documents/listing/projection.js';
import { Invalid } from '../errors/index.js';
import { MAX_FOLDERS, type FolderDetailsRequest } from './folders.dto.js';
import { folderDtoOf, type FolderDetailsListDto, type FolderDocumentInfoDto } from './folder-response.dto.js';

const DEFAULT_LIMIT = 25;

/** Maximum number of documents per response. The documents of all folders count together. */
const MAX_DOCUMENTS = 10_000;

/**
 * Returns folders with counts and documents. Runs one statement for the folders, one for the counts and one for the
 * documents.
 */
@Injectable()
export class FolderDetailsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly folders: FolderRepository,
    private readonly lists: FolderListRepository,
    private readonly documents: FolderDocumentsRepository,
  ) {}

  /** @throws Invalid if the pages of all folders together contain too many documents. */
  async details(scope: Scope, request: FolderDetailsRequest): Promise<FolderDetailsListDto> {
    const folders = await this.requested(scope, request);
    const infos = await this.infosOf(
      scope,
      folders.map(({ id }) => id),
      request,
    );
    return {
      folders: folders.map((folder) => ({
        folder: folderDtoOf(scope, folder),
        document_info: infos?.get(folder.id) ?? null,
      })),
    };
  }

  /**
   * Returns the requested folders in the order of the request, each once. Returns a page of all folders if the request
   * names none.
   */
  private async requested(
    scope: Scope,
    { identifiers, skip, limit }: FolderDetailsRequest,
  ): Promise<readonly DescribedFolder[]> {
    const names = identifiers ?? [];
    if (names.length === 0) {
      return this.lists.list(scope, { parent: null, skip: skip ?? 0, limit: limit ?? MAX_FOLDERS });
    }
    const found = await this.folders.findAll(scope, names);
    const byId = new Map(found.map(({ id }) => [id, id]));
    const byPath = new Map(found.map(({ id, path }) => [path, id]));
    const ids = new Set(
      names.flatMap(({ id, path }) => byId.get(id?.toLowerCase() ?? '') ?? byPath.get(path) ?? []),
    );
    const folders = await this.lists.describe(this.dataSource, scope, [...ids]);
    const described = new Map(folders.map((folder) => [folder.id, folder]));
    return [...ids].flatMap((id) => described.get(id) ?? []);
  }

  private async infosOf(
    scope: Scope,
    folderIds: readonly string[],
    request: FolderDetailsRequest,
  ): Promise<ReadonlyMap<string, FolderDocumentInfoDto> | null> {
    const { include_status_counts: byStatus, include_documents: listed } = request;
    const counted = request.include_document_count ?? true;
    if (!counted && byStatus !== true && listed !== true) return null;
    const counts = countsOf(
      await this.documents.countByStatus(scope, folderIds, request.filters ?? request.document_filters),
    );
    const windows = listed === true ? await this.windowsOf(scope, folderIds, counts, request) : null;
    return new Map(
      folderIds.map((id) => [
        id,
        {
          total_count: counted ? total(counts.get(id)) : null,
          status_counts: byStatus === true ? Object.fromEntries(counts.get(id) ?? []) : null,
          documents: windows === null ? null : (windows.get(id) ?? []),
        },
      ]),
    );
  }

  private async windowsOf(
    scope: Scope,
    folderIds: readonly string[],
    counts: Counts,
    request: FolderDetailsRequest,
  ): Promise<ReadonlyMap<string, object[]>> {
    const { document_skip: skip, document_limit: limit, document_fields: fields } = request;
    const page = {
      skip: skip ?? 0,
      limit: limit ?? DEFAULT_LIMIT,
      sortBy: request.sort_by ?? 'updated_at',
      descending: request.sort_direction !== 'asc',
    } as const;
    const shown = [...counts.values()].reduce(
      (sum, count) => sum + Math.min(page.limit, Math.max(0, total(count) - page.skip)),
      0,
    );
    if (shown > MAX_DOCUMENTS) {
      throw Invalid.at(
        ['body', 'document_limit'],
        `Value error, a response has at most ${MAX_DOCUMENTS} documents, but this one has ${shown}: request fewer folders or a smaller limit`,
      );
    }
    const rows = await this.documents.list(
      scope,
      folderIds,
      request.filters ?? request.document_filters,
      page,
      asksForText(fields),
    );
    const windows = new Map<string, object[]>(folderIds.map((id) => [id, []]));
    for (const row of rows) windows.get(folderOf(row))?.push(projectedRecord(scope, row, fields));
    return windows;
  }
}

/** For each folder id, the number of documents by status. */
type Counts = ReadonlyMap<string, ReadonlyMap<string, number>>;

function countsOf(rows: readonly FolderCount[]): Counts {
  const counts = new Map<string, Map<string, number>>();
  for (const { folderId, status, count } of rows) {
    const ofFolder = counts.get(folderId) ?? new Map<string, number>();
    counts.set(folderId, ofFolder.set(status, count));
  }
  return counts;
}

function total(counts: ReadonlyMap<string, number> = new Map()): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function folderOf({ folder_id: id }: DocumentRow): string {
  return id ?? '';
}
