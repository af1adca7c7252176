import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import type { NewChunk } from '../chunks/chunk.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import { DocumentReader } from '../parsing/document-reader.js';
import { ObjectStore } from '../storage/object-store.js';
import { ChunkStaging } from './chunk-staging.js';
import { Drafting, fileDraft } from './drafting.js';
import type { Lease } from './lease.js';
import { progressAt } from './progress.js';
import type { VersionDraft } from './version-draft.js';

/** A version of a document, ready to be swapped in. */
export interface PreparedVersion {
  readonly draft: VersionDraft;
  /** Of the source. */
  readonly contentType: string;
  readonly additionalMetadata: Readonly<Record<string, unknown>>;
  /** null: they are staged. */
  readonly chunks: readonly NewChunk[] | null;
}

/** The steps before anything can be seen: read the source, parse, split, embed. */
@Injectable()
export class Preparation {
  constructor(
    private readonly objects: ObjectStore,
    private readonly reader: DocumentReader,
    private readonly drafting: Drafting,
    private readonly staging: ChunkStaging,
    private readonly documents: DocumentRepository,
  ) {}

  /**
   * @throws ParseFailure when the source cannot be read as a document; the errors of the embedding model; LeaseLost.
   */
  async prepare(scope: Scope, row: DocumentRow, lease: Lease): Promise<PreparedVersion> {
    const read = await this.read(scope, row, lease);
    const chunks = await this.staging.stage(scope, row, read.draft, lease, (share) =>
      this.documents.setProgress(scope, row.external_id, progressAt('embedding', share)),
    );
    return { ...read, chunks };
  }

  private async read(
    scope: Scope,
    row: DocumentRow,
    { job, signal }: Lease,
  ): Promise<Omit<PreparedVersion, 'chunks'>> {
    const { source, update } = job.payload;
    const strategy = update?.strategy ?? 'replace';
    const bytes = await this.objects.getBytes(source.key);
    if (source.kind === 'text') {
      const draft = await this.drafting.text(scope, row, strategy, bytes.toString('utf8'), {
        signal,
        background: true,
      });
      return { draft, contentType: row.content_type, additionalMetadata: {} };
    }
    await this.documents.setProgress(scope, row.external_id, progressAt('parsing', 0));
    const result = await this.reader.read(
      bytes,
      { filename: source.filename, declaredType: source.declaredType },
      { signal },
    );
    return {
      draft: fileDraft(row, strategy, result),
      contentType: result.document.contentType,
      additionalMetadata: result.document.properties,
    };
  }
}
