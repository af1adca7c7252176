import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import pLimit from 'p-limit';
import { DataSource, type EntityManager } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { touches } from '../access/touches.js';
import { byShard, type Scope } from '../auth/scope.js';
import { ChunkWriter } from '../chunks/chunk-writer.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { DetachedFilesRepository } from '../corpus/vector-stores/detached-files.repository.js';
import { StoreFileRepository } from '../corpus/vector-stores/store-file.repository.js';
import { withLongerDeadline } from '../database/deadline.js';
import { Forbidden, NotFound } from '../errors/index.js';
import { Examples } from '../http/input/examples.js';
import { TextListField } from '../http/input/fields.js';
import { JobQueue } from '../ingestion/job-queue.js';
import { ObjectTombstones, type Tombstone } from '../ingestion/object-tombstones.js';
import { documentNotFound } from './document.service.js';
import { documentPrefix } from './files/source-store.js';

export const MAX_DOCUMENTS = 1_000;

const ID = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';

@Examples({ 'By id': { document_ids: ['an id from POST /documents'] } })
export class DeleteDocumentsRequest {
  @TextListField({
    required: true,
    maxSize: MAX_DOCUMENTS,
    description: `Document ids, at most ${MAX_DOCUMENTS}.`,
    example: [ID],
  })
  document_ids: string[];
}

export class DeletedDocumentDto {
  @ApiProperty({ description: 'Requested id.', example: ID })
  document_id: string;

  @ApiProperty({
    type: 'string',
    enum: ['success', 'not_found', 'forbidden'],
    description: 'Outcome.',
    example: 'success',
  })
  status: 'success' | 'not_found' | 'forbidden';

  @ApiProperty({ description: 'Description of the outcome.', example: `Document ${ID} deleted` })
  message: string;
}

export class DeletedDocumentsDto {
  @ApiProperty({ type: [DeletedDocumentDto], description: 'One result per distinct id, in request order.' })
  results: DeletedDocumentDto[];
}

/** Time in milliseconds that each document adds to the deadline, on top of the time for its chunks. */
const DOCUMENT_MS = 20;

/** Documents per statement. */
const BATCH = 100;

const FILES_AT_ONCE = 4;

/** Deletes documents with their text, chunks, vectors, pages, jobs and files. */
@Injectable()
export class DocumentRemoval {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly detached: DetachedFilesRepository,
    private readonly storeFiles: StoreFileRepository,
    private readonly chunks: ChunkWriter,
    private readonly jobs: JobQueue,
    private readonly tombstones: ObjectTombstones,
  ) {}

  /**
   * Deletes everything except stored objects. Call it at the end of `manager`'s transaction, because it locks the corpus
   * statistics of the tenant.
   *
   * @param ids the ids as they are stored. The caller must have locked the rows of these documents. Otherwise this
   * transaction could deadlock with a transaction that has locked such a row and waits for the statistics.
   * @returns the stored objects, also of uploaded files that only these documents still need. Pass them to `deleteFiles`
   * after the commit; otherwise a sweep deletes them later.
   */
  async remove(manager: EntityManager, scope: Scope, ids: readonly string[]): Promise<Tombstone[]> {
    const left = await this.storeFiles.filesLeftBy(manager, scope, ids);
    const files = left.map((id): Tombstone => ({ appId: scope.appId, key: documentPrefix(scope.appId, id) }));
    for (const file of files) await this.tombstones.add(file, 0, manager);
    for (const [part, some] of byShard(scope, ids, (id) => id)) {
      files.push(...(await this.removeOfPart(manager, part, some)));
    }
    return files;
  }

  private async removeOfPart(
    manager: EntityManager,
    scope: Scope,
    ids: readonly string[],
  ): Promise<Tombstone[]> {
    const { appId } = scope;
    return withLongerDeadline(manager, ids.length * DOCUMENT_MS, async () => {
      // Jobs are removed first. Without a job, no worker can stage chunks, and the rows can be deleted without waiting
      // for a worker.
      const awaited = await this.jobs.removeAll(manager, scope, ids);
      const stored = await this.documents.listWithFiles(manager, scope, ids);
      const withFiles = [...new Set([...awaited, ...stored])];
      const files = withFiles.map((id) => ({ appId, key: documentPrefix(appId, id) }));
      await this.tombstones.addAll(
        manager,
        appId,
        files.map(({ key }) => key),
      );
      for (let start = 0; start < ids.length; start += BATCH) {
        const batch = ids.slice(start, start + BATCH);
        await this.detached.keep(manager, scope, batch);
        await this.chunks.deleteAll(manager, appId, batch);
        await this.documents.delete(manager, scope, batch);
      }
      return files;
    });
  }

  /**
   * Deletes the row, text, chunks, vectors and jobs of a document in one transaction, and its stored files afterwards.
   * @throws NotFound; Forbidden when the key may not change the document.
   */
  async delete(scope: Scope, documentId: string): Promise<void> {
    if (!isUuid(documentId)) throw documentNotFound();
    const files = await this.dataSource.transaction(async (manager) => {
      const row = await this.documents.lock(manager, scope, documentId, 'manage');
      if (row === null) throw documentNotFound();
      touches(scope, 'document', row.external_id, row);
      // Uses the stored id: callers may write an id in capitals, but object keys are case-sensitive.
      return this.remove(manager, scope, [row.external_id]);
    });
    await this.deleteFiles(files);
  }

  /**
   * Deletes documents one by one. Ignores repeated ids. Reports documents that are unknown or that the key may not
   * change.
   */
  async deleteAll(scope: Scope, documentIds: readonly string[]): Promise<DeletedDocumentsDto> {
    const results: DeletedDocumentsDto['results'] = [];
    for (const id of new Set(documentIds)) results.push(await this.deleteIfAllowed(scope, id));
    return { results };
  }

  private async deleteIfAllowed(scope: Scope, id: string): Promise<DeletedDocumentDto> {
    try {
      await this.delete(scope, id);
      return { document_id: id, status: 'success', message: `Document ${id} deleted` };
    } catch (error) {
      if (error instanceof NotFound) {
        return { document_id: id, status: 'not_found', message: error.message };
      }
      if (error instanceof Forbidden) {
        return { document_id: id, status: 'forbidden', message: error.message };
      }
      throw error;
    }
  }

  /** Deletes the stored files of removed documents. If the object store is down, a sweep deletes the files later. */
  async deleteFiles(files: readonly Tombstone[]): Promise<void> {
    const limit = pLimit(FILES_AT_ONCE);
    await Promise.all(files.map((tombstone) => limit(() => this.tombstones.deleteObjects(tombstone))));
  }
}
