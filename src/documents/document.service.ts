import { Injectable } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import type { Scope } from '../auth/scope.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { statusOf, type DocumentRow } from '../corpus/document-row.js';
import { NotFound } from '../errors/index.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { StatusWatch } from './status-watch.js';

export function documentNotFound(): NotFound {
  return new NotFound('Document not found');
}

/** Reads documents. */
@Injectable()
export class DocumentService {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly statuses: StatusWatch,
  ) {}

  /** @throws NotFound for an unknown id, and in the same words for another tenant's. */
  async get(scope: Scope, documentId: string): Promise<DocumentRow> {
    const row = isUuid(documentId) ? await this.documents.find(scope, documentId) : null;
    if (row === null) throw documentNotFound();
    return row;
  }

  /** As `get`, once the document is not `processing` any more, at the latest after so many seconds. */
  async getSettled(scope: Scope, documentId: string, seconds: number): Promise<DocumentRow> {
    const row = await this.get(scope, documentId);
    if (seconds === 0 || statusOf(row) !== 'processing') return row;
    await this.statuses.settled({ appId: scope.appId, documentId: row.external_id }, seconds);
    return this.get(scope, documentId);
  }

  /** The newest document of that name. @throws NotFound when there is none. */
  async getByFilename(scope: Scope, selection: DocumentSelection, filename: string): Promise<DocumentRow> {
    const row = await this.documents.findNewestByFilename(scope, selection, filename);
    if (row === null) throw documentNotFound();
    return row;
  }
}
