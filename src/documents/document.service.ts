import { Injectable } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { type Action, requireMay } from '../access/may.js';
import { touches } from '../access/touches.js';
import { wholeTenant, type Scope } from '../auth/scope.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { statusOf, type DocumentRow } from '../corpus/document-row.js';
import { NotFound } from '../errors/index.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { Waits } from '../http/waits.js';

export function documentNotFound(): NotFound {
  return new NotFound('Document not found');
}

@Injectable()
export class DocumentService {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly waits: Waits,
  ) {}

  /** @throws NotFound with the same message for an unknown id and for a document of another tenant. */
  async get(scope: Scope, documentId: string): Promise<DocumentRow> {
    const row = isUuid(documentId) ? await this.documents.find(scope, documentId) : null;
    if (row === null) throw documentNotFound();
    touches(scope, 'document', row.external_id, row);
    return row;
  }

  /** Whether the document exists, but the key may not read it. */
  async isHidden(scope: Scope, documentId: string): Promise<boolean> {
    if (!isUuid(documentId) || (await this.documents.find(scope, documentId)) !== null) return false;
    return (await this.documents.find(wholeTenant(scope), documentId)) !== null;
  }

  /**
   * Like `get`, but also checks that the key may change the document. `lock` repeats this check. The early check avoids
   * an upload or other expensive work that would fail at the lock.
   * @throws NotFound; Forbidden when the key may not change the document.
   */
  async getToChange(scope: Scope, documentId: string, action: Action = 'write'): Promise<DocumentRow> {
    const row = await this.get(scope, documentId);
    requireMay(scope, action, row);
    return row;
  }

  /** Like `get`, but waits until the document is no longer `processing`, the time is up, or the service stops. */
  getSettled(scope: Scope, documentId: string, seconds: number): Promise<DocumentRow> {
    return this.waits.settled(
      seconds,
      () => this.get(scope, documentId),
      (row) => statusOf(row) !== 'processing',
    );
  }

  /** Returns the newest document with a file name. @throws NotFound */
  async getByFilename(scope: Scope, selection: DocumentSelection, filename: string): Promise<DocumentRow> {
    const row = await this.documents.findNewestByFilename(scope, selection, filename);
    if (row === null) throw documentNotFound();
    touches(scope, 'document', row.external_id, row);
    return row;
  }
}
