import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Scope, shardOf } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { Examples } from '../../http/input/examples.js';
import { FILENAME_KEY } from '../../ingestion/job-version.js';
import { JobQueue } from '../../ingestion/job-queue.js';
import { progressAt } from '../../ingestion/progress.js';
import { historyEntry } from '../../ingestion/version.js';
import { NameField } from '../document-name.js';
import { documentNotFound, DocumentService } from '../document.service.js';

@Examples({ 'A new name': { filename: 'warranty-2026.md' } })
export class RenameDocumentRequest {
  @NameField({ required: true, description: 'New file name.', example: 'warranty-2026.md' })
  filename: string;
}

/** Renames documents. The name changes at once; a job then changes the title in the contexts of the chunks. */
@Injectable()
export class RenameService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly service: DocumentService,
    private readonly documents: DocumentRepository,
    private readonly jobs: JobQueue,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws NotFound for an unknown or foreign id. */
  async rename(tenant: Scope, documentId: string, filename: string): Promise<DocumentRow> {
    const { external_id: id } = await this.service.get(tenant, documentId);
    const scope = shardOf(tenant, id);
    const renamed = await this.dataSource.transaction(async (manager) => {
      const row = await this.documents.lock(manager, scope, id);
      if (row === null) throw documentNotFound();
      if (row.filename === filename) return row;
      // A file that was sent before must not bring back its own name.
      await this.jobs.overrule(manager, scope, id, [FILENAME_KEY]);
      const version = row.version + 1;
      const entry = historyEntry(version, 'rename', filename, {});
      const named = await this.documents.rename(manager, scope, id, { filename, version, entry });
      if (!this.hasContexts(row)) return named;
      const payload = { source: { kind: 'chunks' }, update: null } as const;
      await this.jobs.enqueue(manager, scope, id, payload, row.text_length);
      return this.documents.queue(manager, scope, id, progressAt('queued', 0));
    });
    this.jobs.notify();
    return renamed;
  }

  /** A first version that is not finished reads the name when it is. */
  private hasContexts({ status, chunk_count: chunks }: DocumentRow): boolean {
    return this.settings.CHUNK_CONTEXT !== 'off' && status === 'completed' && chunks > 0;
  }
}
