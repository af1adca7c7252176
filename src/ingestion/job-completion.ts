import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow, HistoryEntry } from '../corpus/document-row.js';
import { ChunkMetadata, withChunkKeys } from './chunk-metadata.js';
import type { IngestionJob, JobPayload } from './job.js';
import { omitTyped, overlaid } from '../filters/overlay-metadata.js';
import type { Lease } from './lease.js';
import type { PreparedVersion } from './preparation.js';
import { VersionWriter, type VersionFacts } from './version-writer.js';
import { workerScope } from './worker-scope.js';

/** Another update changed the text while an addition to it was prepared. */
export class TextChanged extends Error {
  constructor() {
    super('the text changed while an addition to it was prepared');
  }
}

/** Ends a job: its version is swapped in and the job removed, in one transaction. */
@Injectable()
export class JobCompletion {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly versions: VersionWriter,
    private readonly chunkMetadata: ChunkMetadata,
  ) {}

  /** @throws LeaseLost; TextChanged, and then nothing has changed. */
  async complete(lease: Lease, prepared: PreparedVersion): Promise<void> {
    const { job } = lease;
    const { draft, chunks } = prepared;
    const scope = workerScope(job.appId);
    await this.dataSource.transaction(async (manager) => {
      // The document is locked before its job, as a delete does.
      const current = await this.documents.lock(manager, scope, job.documentId);
      if (current === null) return;
      if (draft.startOffset > 0 && current.text_version !== draft.basedOn) throw new TextChanged();
      await lease.finish(manager);
      const explicit = Object.keys(job.payload.update?.metadata ?? {});
      await this.chunkMetadata.overrule(manager, scope, current, explicit);
      await this.versions.write(
        manager,
        scope,
        current,
        draft,
        chunks ?? { staged: job.revision },
        factsOf(job, current, prepared),
      );
    });
  }
}

function factsOf(job: IngestionJob, current: DocumentRow, prepared: PreparedVersion): VersionFacts {
  const { source, update, rules } = job.payload;
  const { contentType, draft, extracted } = prepared;
  const ingestedFrom: JobPayload = { source, update: null, ...(rules === undefined ? {} : { rules }) };
  if (update === null) {
    return {
      version: current.version,
      filename: current.filename,
      contentType,
      // What is there was said by a caller, or found before.
      ...omitTyped(extracted, Object.keys(current.metadata)),
      additionalMetadata: withChunkKeys(prepared.additionalMetadata, current, draft),
      useColpali: current.use_colpali,
      storageFiles: [],
      ingestedFrom,
    };
  }
  const version = current.version + 1;
  const adds = update.strategy === 'add';
  const facts = adds ? current.additional_metadata : prepared.additionalMetadata;
  // Explicit metadata wins.
  const { metadata, metadataTypes } = overlaid<unknown, string>(extracted, update);
  return {
    version,
    entry: historyEntry(version, update.strategy, update.file.filename, metadata),
    filename: update.file.filename ?? current.filename,
    contentType: adds ? current.content_type : contentType,
    metadata,
    metadataTypes,
    additionalMetadata: withChunkKeys(facts, current, draft),
    useColpali: update.useColpali,
    // The type as it was recognised, not as it was declared.
    storageFiles: [{ ...update.file, content_type: contentType, version }],
    // What was added cannot be ingested again without what it was added to.
    ingestedFrom: adds ? null : ingestedFrom,
  };
}

/** What `system_metadata.update_history` says about an update. */
export function historyEntry(
  version: number,
  strategy: string,
  filename: string | null,
  metadata: Readonly<Record<string, unknown>>,
): HistoryEntry {
  return {
    version,
    timestamp: new Date().toISOString(),
    strategy,
    ...(filename === null ? {} : { filename }),
    metadata_updated: Object.keys(metadata).length > 0,
  };
}
