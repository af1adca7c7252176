import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import pLimit from 'p-limit';
import { DataSource, type EntityManager } from 'typeorm';
import { validate as isUuid } from 'uuid';
import type { Scope } from '../auth/scope.js';
import { byShard } from '../auth/tenant-shards.js';
import { ChunkWriter } from '../chunks/chunk-writer.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { withLongerDeadline } from '../database/deadline.js';
import { NotFound } from '../errors/index.js';
import { Examples } from '../http/input/examples.js';
import { TextListField } from '../http/input/fields.js';
import { JobQueue } from '../ingestion/job-queue.js';
import { ObjectTombstones, type Tombstone } from '../ingestion/object-tombstones.js';
import { documentNotFound } from './document.service.js';
import { documentPrefix } from './files/source-store.js';

/** Documents that one request may name. */
export const MAX_DOCUMENTS = 1_000;

const ID = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';

@Examples({ 'Documents by their ids': { document_ids: ['an id from POST /documents'] } })
export class DeleteDocumentsRequest {
  @TextListField({
    required: true,
    maxSize: MAX_DOCUMENTS,
    description: `Identifiers of the documents, at most ${MAX_DOCUMENTS}.`,
    example: [ID],
  })
  document_ids: string[];
}

export class DeletedDocumentDto {
  @ApiProperty({ description: 'Identifier, as it was given.', example: ID })
  document_id: string;

  @ApiProperty({
    type: 'string',
    enum: ['success', 'not_found'],
    description: 'What was done.',
    example: 'success',
  })
  status: 'success' | 'not_found';

  @ApiProperty({ description: 'The same in words.', example: `Document ${ID} deleted` })
  message: string;
}

export class DeletedDocumentsDto {
  @ApiProperty({ type: [DeletedDocumentDto], description: 'One for each distinct identifier, in order.' })
  results: DeletedDocumentDto[];
}

/** What one document adds to the deadline, beside its chunks. */
const DOCUMENT_MS = 20;

/** Documents whose chunks and rows go by one statement. */
const BATCH = 100;

const FILES_AT_ONCE = 4;

/** Removes documents with everything that belongs to them: text, chunks, vectors, pages, jobs and files. */
@Injectable()
export class DocumentRemoval {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly chunks: ChunkWriter,
    private readonly jobs: JobQueue,
    private readonly tombstones: ObjectTombstones,
  ) {}

  /**
   * Removes everything but the stored files, in the transaction of `manager`, as its last writes: they lock the tenant's
   * corpus.
   * @param ids as they are stored, of rows that are locked, all of them: who holds one and waits for the corpus must not
   *   be waited for
   * @returns what `deleteFiles` takes once the transaction has committed; without it they go a little later.
   */
  async remove(manager: EntityManager, scope: Scope, ids: readonly string[]): Promise<Tombstone[]> {
    const files: Tombstone[] = [];
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
    const files = ids.map((id) => ({ appId, key: documentPrefix(appId, id) }));
    return withLongerDeadline(manager, ids.length * DOCUMENT_MS, async () => {
      // The jobs go first: then nothing is staged any more, and the rows can go without waiting for a worker.
      await this.jobs.removeAll(manager, scope, ids);
      await this.tombstones.addAll(
        manager,
        appId,
        files.map(({ key }) => key),
      );
      for (let start = 0; start < ids.length; start += BATCH) {
        const batch = ids.slice(start, start + BATCH);
        await this.chunks.deleteAll(manager, appId, batch);
        await this.documents.delete(manager, scope, batch);
      }
      return files;
    });
  }

  /** Removes row, text, chunks, vectors and jobs in one transaction, and the stored files after it. */
  async delete(scope: Scope, documentId: string): Promise<void> {
    if (!isUuid(documentId)) throw documentNotFound();
    const files = await this.dataSource.transaction(async (manager) => {
      const row = await this.documents.lock(manager, scope, documentId);
      if (row === null) throw documentNotFound();
      // The id as it is stored: callers may write it in capitals, and keys of objects differ by case.
      return this.remove(manager, scope, [row.external_id]);
    });
    await this.deleteFiles(files);
  }

  /** Deletes documents one after the other, each distinct id once. */
  async deleteAll(scope: Scope, documentIds: readonly string[]): Promise<DeletedDocumentsDto> {
    const results: DeletedDocumentsDto['results'] = [];
    for (const id of new Set(documentIds)) {
      results.push(
        (await this.deleteKnown(scope, id))
          ? { document_id: id, status: 'success', message: `Document ${id} deleted` }
          : { document_id: id, status: 'not_found', message: 'Document not found' },
      );
    }
    return { results };
  }

  private async deleteKnown(scope: Scope, id: string): Promise<boolean> {
    try {
      await this.delete(scope, id);
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }

  /** Deletes the stored files of removed documents. A store that is down leaves them for later. */
  async deleteFiles(files: readonly Tombstone[]): Promise<void> {
    const limit = pLimit(FILES_AT_ONCE);
    await Promise.all(files.map((tombstone) => limit(() => this.tombstones.deleteObjects(tombstone))));
  }
}
