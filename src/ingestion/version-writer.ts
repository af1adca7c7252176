import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { ChunkWriter } from '../chunks/chunk-writer.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import { DocumentTextRepository } from '../corpus/document-text.repository.js';
import type { Queryable } from '../database/run.js';
import { Embedder } from '../embedding/embedder.js';
import { JobQueue } from './job-queue.js';
import { ObjectTombstones } from './object-tombstones.js';
import { PageStaging } from './page-staging.js';
import { progressAt } from './progress.js';
import {
  historyEntry,
  keysInChunks,
  withChunkKeys,
  withoutKeys,
  type RowChange,
  type StagedVersion,
} from './version.js';

type Alongside = (manager: EntityManager, row: DocumentRow) => Promise<void>;

/** Writes a version in the caller's transaction: text, chunks, vectors, statistics and the row. */
@Injectable()
export class VersionWriter {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTextRepository,
    private readonly chunks: ChunkWriter,
    private readonly pages: PageStaging,
    private readonly jobs: JobQueue,
    private readonly tombstones: ObjectTombstones,
    private readonly embedder: Embedder,
  ) {}

  /**
   * @param current the locked row, with the text that the draft was made on
   * @param alongside writes that need the new row
   */
  async write(
    manager: EntityManager,
    current: DocumentRow,
    version: StagedVersion,
    change: RowChange,
    alongside?: Alongside,
  ): Promise<DocumentRow> {
    const { scope, pieces } = version.draft;
    return this.chunks.withTimeFor(manager, scope.appId, [current.external_id], pieces.length, () =>
      this.writeAll(manager, current, version, change, alongside),
    );
  }

  private async writeAll(
    manager: EntityManager,
    current: DocumentRow,
    staged: StagedVersion,
    change: RowChange,
    alongside?: Alongside,
  ): Promise<DocumentRow> {
    const { isUpdate, filename, file, additionalMetadata, overruled, ...changed } = change;
    const { draft, chunks, pages } = withoutKeys(staged, overruled);
    const { scope, startOffset, firstChunk, text } = draft;
    const { appId } = scope;
    const { external_id: documentId, live_revisions: liveRevisions } = current;
    const revision = 'revision' in chunks ? chunks.revision : null;
    const keptPages = draft.strategy === 'add' ? current.page_revisions : [];
    await this.removeDeadLetters(manager, scope, documentId);
    const set = [...overruled, ...(isUpdate ? keysInChunks(current, draft.explicitKeys) : [])];
    if (set.length > 0) await this.chunks.dropMetadata(manager, { appId, documentId }, set);
    if (startOffset === 0) await this.texts.replace(manager, scope, documentId, text);
    else await this.texts.append(manager, scope, documentId, text, startOffset);
    const version = isUpdate ? current.version + 1 : current.version;
    const row = await this.documents.writeVersion(manager, scope, documentId, {
      ...changed,
      version,
      ...(isUpdate && { entry: historyEntry(version, draft.strategy, filename, changed.metadata) }),
      filename: filename ?? current.filename,
      additionalMetadata: withChunkKeys(additionalMetadata, current, draft),
      storageFiles: file === null ? [] : [{ ...file, version }],
      textVersion: current.text_version + 1,
      chunkCount: firstChunk + draft.pieces.length,
      textLength: startOffset + text.length,
      liveRevisions:
        revision === null ? liveRevisions : firstChunk === 0 ? [revision] : [...liveRevisions, revision],
      pageRevisions: pages === null ? keptPages : [...keptPages, pages.revision],
      pageCount: pages === null ? draft.pageCount : Math.max(draft.pageCount ?? 0, pages.lastPage),
      embeddingModel: this.embedder.model,
      progress: (await this.jobs.hasPending(manager, scope, documentId)) ? progressAt('queued', 0) : null,
    });
    await alongside?.(manager, row);
    const replaced = current.page_revisions.filter((one) => !row.page_revisions.includes(one));
    await this.pages.remove(manager, { appId, documentId }, replaced);
    // The chunks come last: they lock the statistics of the tenant.
    const visible = { appId, documentId, liveRevisions };
    if ('revision' in chunks) await this.chunks.swapIn(manager, visible, firstChunk, chunks.revision);
    else await this.chunks.replace(manager, visible, firstChunk, chunks);
    return row;
  }

  /** Dead letters go when another version takes their place, with what they staged and stored. */
  private async removeDeadLetters(manager: Queryable, scope: Scope, documentId: string): Promise<void> {
    for (const { appId, revision, payload } of await this.jobs.removeDeadLetters(
      manager,
      scope,
      documentId,
    )) {
      await this.chunks.dropStaged(manager, { appId, documentId }, revision);
      await this.pages.remove(manager, { appId, documentId }, [revision]);
      if (payload.update !== null) {
        await this.tombstones.add({ appId, key: payload.source.key }, 0, manager);
      }
    }
  }
}
