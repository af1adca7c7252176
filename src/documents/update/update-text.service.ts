import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import type { NewChunk } from '../../chunks/chunk.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import type { Queryable } from '../../database/run.js';
import { Conflict } from '../../errors/index.js';
import type { TypedMetadata } from '../../filters/metadata-types.js';
import { overlaid } from '../../filters/overlay-metadata.js';
import { ChunkEmbedder } from '../../ingestion/chunk-embedder.js';
import { ChunkMetadata, withChunkKeys, withoutKeys } from '../../ingestion/chunk-metadata.js';
import { Drafting } from '../../ingestion/drafting.js';
import type { UpdateStrategy } from '../../ingestion/job.js';
import { historyEntry } from '../../ingestion/job-completion.js';
import type { Rule } from '../../ingestion/rules/rule.js';
import { RuleRunner } from '../../ingestion/rules/rule-runner.js';
import { ContentRules, textContent, type RuledContent } from '../../ingestion/rules/ruled-content.js';
import type { VersionDraft } from '../../ingestion/version-draft.js';
import { VersionWriter } from '../../ingestion/version-writer.js';
import { typedMetadataOf } from '../document-metadata.js';
import { documentNotFound, DocumentService } from '../document.service.js';
import { OneAtATime } from './one-at-a-time.js';

export interface TextUpdate {
  readonly strategy: UpdateStrategy;
  /** Not blank. */
  readonly content: string;
  /** null keeps the name. */
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, unknown>> | null;
  /** null: as the document was ingested. */
  readonly useColpali: boolean | null;
  readonly rules: readonly Rule[];
}

/** What the update writes: computed before the transaction, on the version it was computed from. */
interface PreparedUpdate {
  readonly draft: VersionDraft;
  readonly chunks: readonly NewChunk[];
  /** What rules found. */
  readonly extracted: TypedMetadata;
}

/**
 * Updates a document's text. Embeddings are computed first; text, chunks, vectors, metadata and version then change in
 * one transaction, so that readers see the old version or the new one. An `add` splits and embeds the tail only.
 */
@Injectable()
export class UpdateTextService {
  private readonly turns = new OneAtATime();

  constructor(
    private readonly dataSource: DataSource,
    private readonly service: DocumentService,
    private readonly documents: DocumentRepository,
    private readonly drafting: Drafting,
    private readonly embedder: ChunkEmbedder,
    private readonly versions: VersionWriter,
    private readonly runner: RuleRunner,
    private readonly rules: ContentRules,
    private readonly chunkMetadata: ChunkMetadata,
  ) {}

  /**
   * @param alongside writes that belong to the same transaction; it gets the new row.
   * @throws NotFound for an unknown or foreign id, Conflict while the first version is being processed, Invalid for
   *   metadata that does not fit its type, ProviderFailed when the embedding model or a rule fails. The old version stays
   *   whole.
   */
  async updateText(
    scope: Scope,
    documentId: string,
    update: TextUpdate,
    alongside: (manager: Queryable, row: DocumentRow) => Promise<void> = () => Promise.resolve(),
  ): Promise<DocumentRow> {
    const ruled = await this.ruled(scope, documentId, update);
    return this.turns.run(`${scope.appId}/${documentId}`, async () => {
      for (;;) {
        const row = await this.updatable(scope, documentId, update);
        const prepared = await this.prepare(scope, row, update, ruled);
        const written = await this.write(scope, prepared, row, update, alongside);
        if (written !== null) return written;
        // Another process updated the document meanwhile: the tail is not what it was, begin again.
      }
    });
  }

  /** The document as it is, once the update is known to fit it. */
  private async updatable(scope: Scope, documentId: string, update: TextUpdate): Promise<DocumentRow> {
    const row = await this.service.get(scope, documentId);
    requireVersion(row);
    typedMetadataOf(row, update);
    return row;
  }

  /** Rules look at the new content alone, so they run once, before the update takes its turn. */
  private async ruled(scope: Scope, documentId: string, update: TextUpdate): Promise<RuledContent> {
    const { rules, content } = update;
    this.runner.requireRunnable(rules, ['body', 'rules']);
    if (rules.length === 0) return this.rules.apply(rules, textContent(content));
    const { metadata_types: previousTypes } = await this.updatable(scope, documentId, update);
    return this.rules.apply(rules, textContent(content), { previousTypes });
  }

  private async prepare(
    scope: Scope,
    row: DocumentRow,
    { strategy, metadata }: TextUpdate,
    ruled: RuledContent,
  ): Promise<PreparedUpdate> {
    const made = await this.drafting.draft(scope, row, strategy, 'text', ruled);
    const draft = withoutKeys(made, Object.keys(metadata));
    return { draft, chunks: await this.embedder.embed(scope, row, draft), extracted: ruled.extracted };
  }

  private async write(
    scope: Scope,
    { draft, chunks, extracted }: PreparedUpdate,
    row: DocumentRow,
    update: TextUpdate,
    alongside: (manager: Queryable, row: DocumentRow) => Promise<void>,
  ): Promise<DocumentRow | null> {
    return this.dataSource.transaction(async (manager) => {
      const current = await this.documents.lock(manager, scope, row.external_id);
      if (current === null) throw documentNotFound();
      requireVersion(current);
      if (current.text_version !== draft.basedOn) return null;
      // Explicit metadata wins over what rules found.
      const given = { metadata: update.metadata, metadataTypes: update.metadataTypes ?? {} };
      const together = overlaid<unknown, unknown>(extracted, given);
      const { metadata, metadataTypes } = typedMetadataOf(current, together);
      const version = current.version + 1;
      const replaces = draft.startOffset === 0;
      await this.chunkMetadata.overrule(manager, scope, current, Object.keys(update.metadata));
      return this.versions.write(
        manager,
        scope,
        current,
        draft,
        chunks,
        {
          version,
          entry: historyEntry(version, update.strategy, update.filename, metadata),
          filename: update.filename ?? current.filename,
          contentType: current.content_type,
          metadata,
          metadataTypes,
          // What parsing found in a file does not describe another text.
          additionalMetadata: withChunkKeys(replaces ? {} : current.additional_metadata, current, draft),
          useColpali: update.useColpali ?? current.use_colpali,
          storageFiles: [],
          ingestedFrom: null,
        },
        (updated) => alongside(manager, updated),
      );
    });
  }
}

/** @throws Conflict while the first version is being made: there is nothing to update yet. */
export function requireVersion(row: DocumentRow): void {
  if (row.status === 'processing') {
    throw new Conflict('The document is still being processed; try again later');
  }
}
