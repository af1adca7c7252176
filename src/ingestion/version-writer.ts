import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import type { NewChunk } from '../chunks/chunk.js';
import { ChunkWriter } from '../chunks/chunk-writer.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow, VersionChange } from '../corpus/document-row.js';
import { DocumentTextRepository } from '../corpus/document-text.repository.js';
import type { Queryable } from '../database/run.js';
import { ChunkEmbedder } from './chunk-embedder.js';
import { JobRepository } from './job.repository.js';
import { ObjectRemovalRepository } from './object-removal.repository.js';
import { progressAt } from './progress.js';
import type { VersionDraft } from './version-draft.js';

/** The chunks of a version: at hand, or staged under a revision. */
export type VersionChunks = readonly NewChunk[] | { readonly staged: string };

/** What a version changes beside its text. */
export type VersionFacts = Omit<
  VersionChange,
  'textVersion' | 'chunkCount' | 'textLength' | 'liveRevisions' | 'pageCount' | 'embeddingModel' | 'progress'
>;

/** Swaps a version in: text, chunks, vectors, statistics and the row change in the caller's transaction. */
@Injectable()
export class VersionWriter {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTextRepository,
    private readonly chunks: ChunkWriter,
    private readonly embedder: ChunkEmbedder,
    private readonly jobs: JobRepository,
    private readonly removals: ObjectRemovalRepository,
  ) {}

  /**
   * @param current the locked row, with the text that the draft was made on
   * @param alongside writes of the same transaction that need the new row
   */
  async write(
    manager: Queryable,
    scope: Scope,
    current: DocumentRow,
    draft: VersionDraft,
    chunks: VersionChunks,
    facts: VersionFacts,
    alongside: (row: DocumentRow) => Promise<void> = () => Promise.resolve(),
  ): Promise<DocumentRow> {
    const documentId = current.external_id;
    await this.removeDeadJobs(manager, scope, current);
    if (draft.startOffset === 0) await this.texts.replace(manager, scope, documentId, draft.text);
    else await this.texts.append(manager, scope, documentId, draft.text, draft.startOffset);
    const row = await this.documents.writeVersion(manager, scope, documentId, {
      ...facts,
      textVersion: current.text_version + 1,
      chunkCount: draft.firstChunk + draft.pieces.length,
      textLength: draft.startOffset + draft.text.length,
      liveRevisions: liveRevisionsAfter(current, draft, chunks),
      pageCount: draft.pageCount,
      embeddingModel: this.embedder.model,
      progress: (await this.jobs.hasLive(manager, scope, documentId)) ? progressAt('queued', 0) : null,
    });
    await alongside(row);
    // The chunks come last: they lock the statistics of the tenant.
    const live = { appId: scope.appId, documentId, liveRevisions: current.live_revisions };
    if ('staged' in chunks) await this.chunks.swapIn(manager, live, draft.firstChunk, chunks.staged);
    else await this.chunks.replace(manager, live, draft.firstChunk, chunks);
    return row;
  }

  /** Jobs that were given up go when another version takes their place, with what they staged and stored. */
  private async removeDeadJobs(manager: Queryable, scope: Scope, current: DocumentRow): Promise<void> {
    for (const { appId, documentId, revision, payload } of await this.jobs.remove(
      manager,
      scope,
      current.external_id,
      'dead',
    )) {
      await this.chunks.dropStaged(manager, { appId, documentId }, revision);
      if (payload.update !== null) {
        await this.removals.schedule({ appId, key: payload.source.key }, 0, manager);
      }
    }
  }
}

function liveRevisionsAfter(
  { live_revisions: live }: DocumentRow,
  { startOffset }: VersionDraft,
  chunks: VersionChunks,
): readonly string[] {
  if (!('staged' in chunks)) return live;
  return startOffset === 0 ? [chunks.staged] : [...live, chunks.staged];
}
