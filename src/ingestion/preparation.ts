import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import type { NewChunk } from '../chunks/chunk.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import { ChunkStaging } from './chunk-staging.js';
import type { Lease } from './lease.js';
import { progressAt } from './progress.js';
import { SourceReading, type DraftedSource } from './source-reading.js';

/** A version of a document, ready to be swapped in. */
export interface PreparedVersion extends DraftedSource {
  /** null: they are staged. */
  readonly chunks: readonly NewChunk[] | null;
}

/** The steps before anything can be seen: read the source, run its rules, split, embed. */
@Injectable()
export class Preparation {
  constructor(
    private readonly sources: SourceReading,
    private readonly staging: ChunkStaging,
    private readonly documents: DocumentRepository,
  ) {}

  /**
   * @throws ParseFailure when the source cannot be read as a document; RuleFailed and TooLongForRules; the errors of
   *   the embedding model; LeaseLost.
   */
  async prepare(scope: Scope, row: DocumentRow, lease: Lease): Promise<PreparedVersion> {
    const drafted = await this.sources.draft(scope, row, lease);
    const chunks = await this.staging.stage(scope, row, drafted.draft, lease, (share) =>
      this.documents.setProgress(scope, row.external_id, progressAt('embedding', share)),
    );
    return { ...drafted, chunks };
  }
}
