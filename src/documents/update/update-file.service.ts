import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { Invalid } from '../../errors/index.js';
import { ChoiceField, FlagField, JsonObjectField, TextMapField } from '../../http/input/fields.js';
import { IngestionService } from '../../ingestion/ingestion.service.js';
import { UPDATE_STRATEGIES, type JobPayload, type UpdateStrategy } from '../../ingestion/job.js';
import { JobQueue } from '../../ingestion/job-queue.js';
import { progressAt } from '../../ingestion/progress.js';
import { withDeclaredTypes, type Rule } from '../../ingestion/rules/rule.js';
import { typedMetadataOf } from '../document-record.js';
import { documentNotFound, DocumentService } from '../document.service.js';
import { ObjectStore } from '../../storage/object-store.js';
import { SourceStore, storedFileOf } from '../files/source-store.js';
import { UsableFiles } from '../files/usable-files.js';
import { UploadReader, type UploadedFile } from '../files/upload-reader.js';
import { RulesField } from '../ingest/rule.dto.js';
import { requireVersion } from './update-text.service.js';
import { Quotas } from '../../quotas/quotas.service.js';

export class UpdateFileFields {
  @ChoiceField({
    description:
      'add: append to the text after a blank line. replace: replace the whole text. Default: UPDATE_STRATEGY.',
    values: UPDATE_STRATEGIES,
    openapi: { default: 'add' },
  })
  update_strategy?: UpdateStrategy;

  @JsonObjectField({
    nullable: true,
    description:
      'Merged into the metadata of the document by top-level key when the new version is committed.',
    example: { reviewed: true },
  })
  metadata: Record<string, unknown> | null = null;

  @TextMapField({
    nullable: true,
    description: 'Declared types by metadata key.',
    example: { reviewed: 'boolean' },
  })
  metadata_types: Record<string, string> | null = null;

  @RulesField({ nullable: true })
  rules: Rule[] | null = null;

  @FlagField({
    nullable: true,
    description: 'Whether to embed page images besides the text. Default: the setting of the document.',
    example: false,
  })
  use_colpali: boolean | null = null;
}

/**
 * Accepts a new file for a document. A worker parses the file. The current version stays searchable until the new
 * version is committed. If the file cannot be parsed, the current version remains.
 */
@Injectable()
export class UpdateFileService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly service: DocumentService,
    private readonly documents: DocumentRepository,
    private readonly uploads: UploadReader,
    private readonly sources: SourceStore,
    private readonly objects: ObjectStore,
    private readonly usable: UsableFiles,
    private readonly ingestion: IngestionService,
    private readonly jobs: JobQueue,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly quotas: Quotas,
  ) {}

  /**
   * @param request a form with the file and the fields of {@link UpdateFileFields}
   * @param strategy of the query; undefined: that of the form, or the configured one
   * @throws NotFound if the document was deleted, Forbidden when the key may not change it, Conflict while its first version is being processed, Invalid for
   * metadata that does not match its type, for two strategies, and for rules that cannot run; the errors of {@link UsableFiles.require}.
   */
  async update(
    scope: Scope,
    documentId: string,
    request: FastifyRequest,
    strategy: UpdateStrategy | undefined,
  ): Promise<DocumentRow> {
    // Checks the document before the file is stored.
    const row = await this.service.getToChange(scope, documentId);
    requireVersion(row);
    const form = { fileField: 'file', fields: UpdateFileFields, documentId: row.external_id };
    return this.uploads.read(request, scope, form, (upload) =>
      this.enqueue(upload.scope, this.uploads.theFile(upload), withStrategy(upload.fields, strategy)),
    );
  }

  /** Replaces the content of a document by a file that is stored elsewhere. */
  async replace(
    scope: Scope,
    documentId: string,
    file: UploadedFile,
    given: Omit<UpdateFileFields, 'update_strategy'>,
  ): Promise<DocumentRow> {
    // The objects of a document are those below its prefix.
    const bytes = await this.objects.get(file.key);
    const stored = await this.sources.put(scope, documentId, bytes, file.declaredType);
    try {
      const fields = { ...given, update_strategy: 'replace' } as const;
      return await this.enqueue(scope, { ...file, ...stored }, fields);
    } catch (error) {
      await this.sources.discard(scope, stored);
      throw error;
    }
  }

  private async enqueue(scope: Scope, file: UploadedFile, fields: UpdateFileFields): Promise<DocumentRow> {
    await this.ingestion.requireRunnable(fields.rules ?? [], ['body', 'rules']);
    await this.usable.require(file);
    const { documentId } = file;
    const queued = await this.dataSource.transaction(async (manager) => {
      const row = await this.documents.lock(manager, scope, documentId);
      if (row === null) throw documentNotFound();
      requireVersion(row);
      const strategy = fields.update_strategy ?? this.settings.UPDATE_STRATEGY;
      const payload = payloadOf(row, file, fields, { strategy, endUserId: scope.endUserId });
      await this.sources.keep(manager, scope, file);
      await this.jobs.enqueue(manager, scope, documentId, payload, file.size);
      await this.quotas.take(manager, { ...scope, endUserId: row.end_user_id }, 'bytes', file.size);
      return this.documents.queue(manager, scope, documentId, progressAt('queued', 0));
    });
    this.jobs.notify();
    return queued;
  }
}

/** Returns the fields with the strategy of the query. @throws Invalid if the form names another one */
function withStrategy(fields: UpdateFileFields, strategy: UpdateStrategy | undefined): UpdateFileFields {
  if (strategy === undefined) return fields;
  const { update_strategy: ofForm = strategy } = fields;
  if (ofForm !== strategy) {
    throw Invalid.at(['query', 'update_strategy'], `Value error, the form says ${ofForm}`);
  }
  return Object.assign(fields, { update_strategy: strategy });
}

function payloadOf(
  row: DocumentRow,
  file: UploadedFile,
  fields: UpdateFileFields,
  made: { readonly strategy: UpdateStrategy; readonly endUserId: string | null },
): JobPayload {
  const { key, filename, declaredType } = file;
  const { metadata, metadata_types: metadataTypes } = fields;
  const rules = withDeclaredTypes(fields.rules ?? [], metadataTypes);
  return {
    source: { kind: 'file', key, filename, declaredType },
    update: {
      ...made,
      ...typedMetadataOf(row, { metadata: metadata ?? {}, metadataTypes }),
      useColpali: fields.use_colpali ?? row.use_colpali,
      file: storedFileOf(file, filename, declaredType),
    },
    ...(rules.length === 0 ? {} : { rules }),
  };
}
