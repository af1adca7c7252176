import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { actingEndUser } from '../../access/principal.js';
import { type Scope, shardOf } from '../../auth/scope.js';
import { ChunkWriter } from '../../chunks/chunk-writer.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import type { Queryable } from '../../database/run.js';
import { Invalid } from '../../errors/index.js';
import { Examples } from '../../http/input/examples.js';
import { TextField } from '../../http/input/fields.js';
import { CrossField } from '../../http/input/input.pipe.js';
import { FILENAME_KEY } from '../../ingestion/job-version.js';
import { JobQueue } from '../../ingestion/job-queue.js';
import { progressAt } from '../../ingestion/progress.js';
import { historyEntry } from '../../ingestion/version.js';
import { NameField } from '../document-name.js';
import { documentNotFound, DocumentService } from '../document.service.js';

@CrossField<ChangeDocumentRequest>(['filename', 'end_user_id'], ({ filename, end_user_id: owner }) => {
  if (filename === undefined && owner === undefined) {
    throw Invalid.at([], 'Value error, set filename, end_user_id or both');
  }
})
@Examples({
  'A new name': { filename: 'warranty-2026.md' },
  'Share with everyone': { end_user_id: null },
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
}

/**
 * Changes the name and the end user of documents. Both changes take effect at once. After a change of the name, a job
 * changes the title in the contexts of the chunks.
 */
@Injectable()
export class ChangeDocumentService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly service: DocumentService,
    private readonly documents: DocumentRepository,
    private readonly chunks: ChunkWriter,
    private readonly jobs: JobQueue,
    @Inject(SETTINGS) private readonly settings: Settings,
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
    const action = owner === undefined ? 'write' : 'manage';
    const { external_id: id } = await this.service.getToChange(tenant, documentId, action);
    const scope = shardOf(tenant, id);
    const changed = await this.dataSource.transaction(async (manager) => {
      const row = await this.documents.lock(manager, scope, id, action);
      if (row === null) throw documentNotFound();
      const { filename = row.filename, end_user_id: endUserId = row.end_user_id } = request;
      const isRenamed = filename !== row.filename;
      const isHandedOver = endUserId !== row.end_user_id;
      if (!isRenamed && !isHandedOver) return row;
      const version = row.version + 1;
      const strategy = !isHandedOver ? 'rename' : endUserId === null ? 'share' : 'assign';
      const entry = historyEntry(version, strategy, isRenamed ? filename : null, {});
      const values = { filename, endUserId, version, entry };
      const described = await this.documents.setNameAndOwner(manager, scope, id, values);
      const changed = isRenamed ? await this.retitle(manager, scope, described) : described;
      // Moves the words last, because the update of the statistics locks the whole tenant.
      if (isHandedOver) await this.chunks.moveStatistics(manager, scope.appId, [id]);
      return changed;
    });
    this.jobs.notify();
    return changed;
  }

  private async retitle(manager: Queryable, scope: Scope, row: DocumentRow): Promise<DocumentRow> {
    const { external_id: id } = row;
    // A pending job with an earlier file must not give the document the name of that file.
    await this.jobs.overrule(manager, scope, id, [FILENAME_KEY]);
    if (!this.hasContexts(row)) return row;
    const payload = { source: { kind: 'chunks' }, update: null } as const;
    await this.jobs.enqueue(manager, scope, id, payload, row.text_length);
    return this.documents.queue(manager, scope, id, progressAt('queued', 0));
  }

  /**
   * Whether the document has chunks whose contexts must change. If the first version is unfinished, its job uses the
   * new name anyway.
   */
  private hasContexts({ status, chunk_count: chunks }: DocumentRow): boolean {
    return this.settings.CHUNK_CONTEXT !== 'off' && status === 'completed' && chunks > 0;
  }
}
