import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  type AccessChange,
  type AccessLists,
  areSameLists,
  changedLists,
  effectiveLists,
  NOBODY,
} from '../../access/access-lists.js';
import { mayHandOver, refusal } from '../../access/may.js';
import { placedLists } from '../../access/placed-lists.js';
import { actingEndUser, EVERYONE } from '../../access/principal.js';
import { type Scope, shardOf } from '../../auth/scope.js';
import { ChunkWriter } from '../../chunks/chunk-writer.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import { FolderRepository } from '../../corpus/folder.repository.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import type { Queryable } from '../../database/run.js';
import { Forbidden, Invalid } from '../../errors/index.js';
import { Examples } from '../../http/input/examples.js';
import { TextField } from '../../http/input/fields.js';
import { CrossField } from '../../http/input/input.pipe.js';
import { FILENAME_KEY } from '../../ingestion/job-version.js';
import { JobQueue } from '../../ingestion/job-queue.js';
import { Retitling } from '../../ingestion/retitling.js';
import { historyEntry } from '../../ingestion/version.js';
import { AccessControlField } from '../access-control.js';
import { NameField } from '../document-name.js';
import { documentNotFound, DocumentService } from '../document.service.js';

@CrossField<ChangeDocumentRequest>(
  ['filename', 'end_user_id', 'access_control'],
  ({ filename, end_user_id: owner, access_control: lists }) => {
    if (filename === undefined && owner === undefined && lists === undefined) {
      throw Invalid.at([], 'Value error, set filename, end_user_id or access_control');
    }
  },
)
@Examples({
  'A new name': { filename: 'warranty-2026.md' },
  'Share with everyone': { end_user_id: null },
  'Let a group read it': { access_control: { readers: ['group:sales'] } },
})
export class ChangeDocumentRequest {
  @NameField({ description: 'New file name.', example: 'warranty-2026.md' })
  filename: string | undefined = undefined;

  @TextField({
    nullable: true,
    notEmpty: true,
    maxLength: 256,
    description:
      'null shares the document with everyone in the tenant. A text makes it private to this end user; this needs an admin key or a key without an end user.',
    example: null,
  })
  end_user_id: string | null | undefined = undefined;

  @AccessControlField(
    'Who may read and change the document besides its owner. Lists that the request omits do not change. null: the lists of the folder apply, if the key may add to the folder; in a folder that the key may not even read the document stays private.',
  )
  access_control: AccessChange | null | undefined = undefined;
}

/**
 * Changes the name, the end user and the access lists of documents. All take effect at once. Only a new name makes a new
 * version; a job then changes the title in the contexts of the chunks.
 */
@Injectable()
export class ChangeDocumentService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly service: DocumentService,
    private readonly documents: DocumentRepository,
    private readonly folders: FolderRepository,
    private readonly chunks: ChunkWriter,
    private readonly jobs: JobQueue,
    private readonly retitling: Retitling,
  ) {}

  /**
   * @throws NotFound for a document that does not exist or is not visible to the key; Forbidden when the key may not
   * change the document or act for the end user.
   */
  async change(tenant: Scope, documentId: string, request: ChangeDocumentRequest): Promise<DocumentRow> {
    const { end_user_id: owner } = request;
    if (typeof owner === 'string' && !tenant.permissions.has('admin')) {
      actingEndUser(tenant, owner, ['body', 'end_user_id']);
    }
    const action = owner === undefined && request.access_control === undefined ? 'write' : 'manage';
    const { external_id: id } = await this.service.getToChange(tenant, documentId, action);
    const scope = shardOf(tenant, id);
    const changed = await this.dataSource.transaction(async (manager) => {
      const row = await this.documents.lock(manager, scope, id, action);
      if (row === null) throw documentNotFound();
      const { filename = row.filename, end_user_id: endUserId = row.end_user_id } = request;
      const isRenamed = filename !== row.filename;
      const isHandedOver = endUserId !== row.end_user_id;
      if (isHandedOver && !mayHandOver(scope, row)) throw new Forbidden(refusal('document', row));
      const access = await this.listsAfter(manager, tenant, row, request, isHandedOver);
      const isListed = !areSameLists(access, row.access);
      if (!isRenamed && !isHandedOver && !isListed) return row;
      const version = isRenamed ? row.version + 1 : row.version;
      const history = isRenamed
        ? [historyEntry({ version, strategy: 'rename', filename, endUserId: scope.endUserId })]
        : [];
      const values = { filename, endUserId, access, version, history };
      const described = await this.documents.setNameAndAccess(manager, scope, id, values);
      const changed = isRenamed ? await this.retitle(manager, scope, described) : described;
      // Moves the words last, because the update of the statistics locks the whole tenant.
      await this.chunks.moveStatistics(manager, scope.appId, [id]);
      return changed;
    });
    this.jobs.notify();
    return changed;
  }

  /** Returns the document's own lists after the request. @throws Forbidden as {@link placedLists} */
  private async listsAfter(
    manager: Queryable,
    tenant: Scope,
    row: DocumentRow,
    request: ChangeDocumentRequest,
    isHandedOver: boolean,
  ): Promise<AccessLists | null> {
    const { access_control: given } = request;
    if (given === undefined) return isHandedOver ? listsOfHandedOver(row, request) : row.access;
    if (given !== null) return changedLists(row.access, given);
    const place = { id: row.folder_id, path: row.folder_path ?? '' };
    const folder = row.folder_id === null ? null : await this.folders.find(manager, tenant, place);
    return folder === null ? null : placedLists(tenant, folder, null);
  }

  private async retitle(manager: Queryable, scope: Scope, row: DocumentRow): Promise<DocumentRow> {
    const { external_id: id } = row;
    // A pending job with an earlier file must not give the document the name of that file.
    await this.jobs.overrule(manager, scope, id, [FILENAME_KEY]);
    return this.retitling.enqueue(manager, scope, row);
  }
}

/**
 * Returns the lists of a document that is given to somebody else. A document that is given to everybody keeps its lists
 * and adds everyone. A document that is given to a person becomes private.
 */
function listsOfHandedOver(
  row: DocumentRow,
  { end_user_id: owner }: ChangeDocumentRequest,
): AccessLists | null {
  const lists = effectiveLists(row);
  if (lists === null) return null;
  if (typeof owner === 'string') return row.folder_access === null ? null : NOBODY;
  const readers = lists.readers.filter((reader) => reader !== EVERYONE);
  return changedLists(lists, { readers: [...readers, EVERYONE] });
}
