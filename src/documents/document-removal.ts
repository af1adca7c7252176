import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import type { EntityManager } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { ChunkWriter } from '../chunks/chunk-writer.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { withLongerDeadline } from '../database/deadline.js';
import { JobQueue } from '../ingestion/job-queue.js';
import { ObjectTombstones, type Tombstone } from '../ingestion/object-tombstones.js';
import { documentPrefix } from './files/source-store.js';

/** What one document adds to the deadline, beside its chunks. */
const DOCUMENT_MS = 20;

/** Documents whose chunks and rows go by one statement. */
const BATCH = 100;

const FILES_AT_ONCE = 4;

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
   * @param ids as they are stored, of rows that are locked, all of them: who holds one and waits for the corpus must not
   *   be waited for
   * @returns what `deleteFiles` takes once the transaction has committed; without it they go a little later.
   */
  async remove(manager: EntityManager, scope: Scope, ids: readonly string[]): Promise<Tombstone[]> {
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

  /** Deletes the stored files of removed documents. A store that is down leaves them for later. */
  async deleteFiles(files: readonly Tombstone[]): Promise<void> {
    const limit = pLimit(FILES_AT_ONCE);
    await Promise.all(files.map((tombstone) => limit(() => this.tombstones.deleteObjects(tombstone))));
  }
}
