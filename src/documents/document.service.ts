import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository } from '../chunks/chunk.repository.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import { NotFound } from '../errors/index.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { ObjectStore } from '../storage/object-store.js';
import { documentPrefix } from './object-keys.js';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export function documentNotFound(): NotFound {
  return new NotFound('Document not found');
}

/** Reads and deletes documents. */
@Injectable()
export class DocumentService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly chunks: ChunkRepository,
    private readonly objects: ObjectStore,
  ) {}

  /** @throws NotFound for an unknown id, and in the same words for another tenant's. */
  async get(scope: Scope, documentId: string): Promise<DocumentRow> {
    const row = UUID.test(documentId) ? await this.documents.find(scope, documentId) : null;
    if (row === null) throw documentNotFound();
    return row;
  }

  /** The newest document of that name. @throws NotFound when there is none. */
  async getByFilename(scope: Scope, selection: DocumentSelection, filename: string): Promise<DocumentRow> {
    const row = await this.documents.findNewestByFilename(scope, selection, filename);
    if (row === null) throw documentNotFound();
    return row;
  }

  /** Removes row, text, chunks, vectors, postings and jobs in one transaction, then the stored files. */
  async delete(scope: Scope, documentId: string): Promise<void> {
    if (!UUID.test(documentId)) throw documentNotFound();
    await this.dataSource.transaction(async (manager) => {
      if ((await this.documents.lock(manager, scope, documentId)) === null) throw documentNotFound();
      await this.chunks.replace(manager, scope.appId, documentId, 0, []);
      await this.documents.delete(manager, scope, documentId);
    });
    await this.objects.deletePrefix(documentPrefix(scope.appId, documentId));
  }
}
