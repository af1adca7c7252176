import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow, HistoryEntry } from '../corpus/document-row.js';
import type { IngestionJob } from './job.js';
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

function factsOf({ payload }: IngestionJob, current: DocumentRow, prepared: PreparedVersion): VersionFacts {
  const { update } = payload;
  const { contentType, additionalMetadata } = prepared;
  if (update === null) {
    return {
      version: current.version,
      filename: current.filename,
      contentType,
      metadata: {},
      metadataTypes: {},
      additionalMetadata,
      useColpali: current.use_colpali,
      storageFiles: [],
      ingestedFrom: payload,
    };
  }
  const version = current.version + 1;
  const adds = update.strategy === 'add';
  return {
    version,
    entry: historyEntry(version, update.strategy, update.file.filename, update.metadata),
    filename: update.file.filename ?? current.filename,
    contentType: adds ? current.content_type : contentType,
    metadata: update.metadata,
    metadataTypes: update.metadataTypes,
    additionalMetadata: adds ? current.additional_metadata : additionalMetadata,
    useColpali: update.useColpali,
    storageFiles: [{ ...update.file, version }],
    // What was added cannot be ingested again without what it was added to.
    ingestedFrom: adds ? null : { ...payload, update: null },
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
