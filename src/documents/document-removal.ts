import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { ChunkWriter } from '../chunks/chunk-writer.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import { JobQueue } from '../ingestion/job-queue.js';
import { ObjectTombstones, type Tombstone } from '../ingestion/object-tombstones.js';
import { documentPrefix } from './files/source-store.js';

/** Removes documents with everything that belongs to them: text, chunks, vectors, postings, pages, jobs and files. */
@Injectable()
export class DocumentRemoval {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly chunks: ChunkWriter,
    private readonly jobs: JobQueue,
    private readonly tombstones: ObjectTombstones,
  ) {}

  /**
   * Removes everything but the stored files, in the transaction of `manager`, as its last writes: they lock the tenant's
   * corpus.
   * @param rows locked, all of them: who holds one of them and waits for the corpus must not be waited for
   * @returns what `deleteFiles` takes once the transaction has committed; without it they go a little later.
   */
  async remove(manager: EntityManager, scope: Scope, rows: readonly DocumentRow[]): Promise<Tombstone[]> {
    const { appId } = scope;
    // The jobs go first: then nothing is staged any more, and the rows can go without waiting for a worker.
    for (const row of rows) await this.jobs.remove(manager, scope, row.external_id, 'all');
    // The ids as they are stored: callers may write them in capitals, and keys of objects differ by case.
    const files = rows.map((row) => ({ appId, key: documentPrefix(appId, row.external_id) }));
    for (const tombstone of files) await this.tombstones.add(tombstone, 0, manager);
    for (const { external_id: documentId, live_revisions: liveRevisions } of rows) {
      const document = { appId, documentId, liveRevisions };
      await this.chunks.allOf(manager, document, 0, () => this.chunks.deleteAll(manager, document));
      await this.documents.delete(manager, scope, documentId);
    }
    return files;
  }

  /** Deletes the stored files of removed documents. A store that is down leaves them for later. */
  async deleteFiles(files: readonly Tombstone[]): Promise<void> {
    for (const tombstone of files) await this.tombstones.deleteObjects(tombstone);
  }
}
