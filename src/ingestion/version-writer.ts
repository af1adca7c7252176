import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { CHUNK_MS, ChunkWriter, type Replacement } from '../chunks/chunk-writer.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow, VersionChange } from '../corpus/document-row.js';
import { DocumentTextRepository } from '../corpus/document-text.repository.js';
import { SummaryRepository } from '../corpus/summary.repository.js';
import { withLongerDeadline } from '../database/deadline.js';
import type { Queryable } from '../database/run.js';
import { Embedder } from '../models/embedding/embedder.js';
import { JobQueue } from './job-queue.js';
import { ObjectTombstones } from './object-tombstones.js';
import { PageStaging } from './page-staging.js';
import { progressAt } from './progress.js';
import type { JobPayload } from './job.js';
import { keysInChunks, type StagedVersion } from './version.js';

export interface NewVersion {
  readonly version: StagedVersion;
  /** The locked row, with the text on which the draft is based. */
  readonly current: DocumentRow;
  readonly change: VersionChange<JobPayload | null>;
  /** Metadata keys that callers have set since the job was enqueued. The new chunks must not override their values. */
  readonly overruled: readonly string[];
  /** Makes further writes in the same transaction. Receives the new row. */
  readonly alongside: ((manager: EntityManager, row: DocumentRow) => Promise<void>) | undefined;
}

/** Writes the texts, chunks, vectors, statistics and rows of versions in the caller's transaction. */
@Injectable()
export class VersionWriter {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTextRepository,
    private readonly summaries: SummaryRepository,
    private readonly chunks: ChunkWriter,
    private readonly pages: PageStaging,
    private readonly jobs: JobQueue,
    private readonly tombstones: ObjectTombstones,
    private readonly embedder: Embedder,
  ) {}

  /**
   * @param scope scope to which all documents belong
   * @returns the new rows by id
   */
  async write(
    manager: EntityManager,
    scope: Scope,
    versions: readonly NewVersion[],
  ): Promise<ReadonlyMap<string, DocumentRow>> {
    const chunks = versions.reduce(
      (sum, { version, current }) => sum + version.draft.pieces.length + current.chunk_count,
      0,
    );
    return withLongerDeadline(manager, chunks * CHUNK_MS, () => this.writeAll(manager, scope, versions));
  }

  private async writeAll(
    manager: EntityManager,
    scope: Scope,
    versions: readonly NewVersion[],
  ): Promise<ReadonlyMap<string, DocumentRow>> {
    const { appId } = scope;
    const ids = versions.map(({ current }) => current.external_id);
    const superseding = versions.filter(({ version }) => !version.draft.keepsText);
    await this.removeDeadLetters(
      manager,
      scope,
      superseding.map(({ current }) => current.external_id),
    );
    await this.dropMetadata(manager, appId, versions);
    const replaced = superseding.filter(replacesText).map(({ current }) => current.external_id);
    if (replaced.length > 0) await this.summaries.removeOf(manager, scope, replaced);
    await this.writeTexts(manager, scope, versions);
    const pending = await this.jobs.pending(manager, scope, ids);
    const rows = await this.documents.writeVersions(
      manager,
      scope,
      versions.map(({ change }) => change),
      this.embedder.model,
      (documentId) => (pending.has(documentId) ? progressAt('queued', 0) : null),
    );
    for (const { current, alongside } of versions) {
      const row = rowOf(rows, current);
      await alongside?.(manager, row);
      const replaced = current.page_revisions.filter((one) => !row.page_revisions.includes(one));
      await this.pages.remove(manager, { appId, documentId: row.external_id }, replaced);
    }
    // Writes the chunks last, because the update of their statistics locks the whole tenant.
    await this.writeChunks(manager, appId, versions);
    return rows;
  }

  private async dropMetadata(
    manager: Queryable,
    appId: string,
    versions: readonly NewVersion[],
  ): Promise<void> {
    for (const { current, version, change, overruled } of versions) {
      // The first version has no history entry, and neither has a version that a job rebuilds.
      const explicit = change.entry === undefined ? [] : version.draft.explicitKeys;
      const set = [...overruled, ...keysInChunks(current, explicit)];
      if (set.length === 0) continue;
      await this.chunks.dropMetadata(manager, { appId, documentId: current.external_id }, set);
    }
  }

  private async writeTexts(manager: Queryable, scope: Scope, versions: readonly NewVersion[]): Promise<void> {
    const texts = versions
      // A posted text is stored already.
      .filter(
        ({ version, change }) => !version.draft.keepsText && change.ingestedFrom?.source.kind !== 'posted',
      )
      .map(({ current: { external_id: documentId }, version: { draft } }) => ({
        documentId,
        text: draft.text,
        startOffset: draft.startOffset,
      }));
    const whole = texts.filter(({ startOffset }) => startOffset === 0);
    if (whole.length > 0) await this.texts.replace(manager, scope, whole);
    for (const { documentId, text, startOffset } of texts.filter((one) => one.startOffset > 0)) {
      await this.texts.append(manager, scope, documentId, text, startOffset);
    }
  }

  private async writeChunks(
    manager: Queryable,
    appId: string,
    versions: readonly NewVersion[],
  ): Promise<void> {
    const replacements: Replacement[] = [];
    for (const { current, version } of versions) {
      const { firstChunk } = version.draft;
      const { external_id: documentId, live_revisions: liveRevisions, chunk_count: chunkCount } = current;
      const document = { appId, documentId, liveRevisions };
      const { chunks } = version;
      if ('revision' in chunks) await this.chunks.swapIn(manager, document, firstChunk, chunks.revision);
      else replacements.push({ document, from: chunkCount > firstChunk ? firstChunk : null, chunks });
    }
    if (replacements.length > 0) await this.chunks.replace(manager, appId, replacements);
  }

  /** Removes superseded dead letters with their staged chunks, pages and files. */
  private async removeDeadLetters(manager: Queryable, scope: Scope, ids: readonly string[]): Promise<void> {
    const removed = await this.jobs.removeDeadLetters(manager, scope, ids);
    for (const { appId, documentId, revision, payload } of removed) {
      await this.chunks.dropStaged(manager, { appId, documentId }, revision);
      await this.pages.remove(manager, { appId, documentId }, [revision]);
      if (payload.update !== null) {
        await this.tombstones.add({ appId, key: payload.update.file.key }, 0, manager);
      }
    }
  }
}

/** Whether a caller replaces the text. The first version, and one that is made of the same source again, have no entry. */
function replacesText({ change, version }: NewVersion): boolean {
  return change.entry !== undefined && version.draft.strategy === 'replace';
}

function rowOf(rows: ReadonlyMap<string, DocumentRow>, { external_id: id }: DocumentRow): DocumentRow {
  const row = rows.get(id);
  if (row === undefined) throw new Error('a locked document is missing');
  return row;
}
