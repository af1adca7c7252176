import { setTimeout } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { type Action, requireMay } from '../access/may.js';
import { wholeTenant, type Scope } from '../auth/scope.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { statusOf, type DocumentRow } from '../corpus/document-row.js';
import { NotFound } from '../errors/index.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { throwIfAborted } from '../request/request-context.js';

const POLL_MS = 200;

export function documentNotFound(): NotFound {
  return new NotFound('Document not found');
}

@Injectable()
export class DocumentService implements BeforeApplicationShutdown {
  private isClosing = false;

  constructor(private readonly documents: DocumentRepository) {}

  /** Ends requests that are waiting, because they would delay the shutdown. */
  beforeApplicationShutdown(): void {
    this.isClosing = true;
  }

  /** @throws NotFound with the same message for an unknown id and for a document of another tenant. */
  async get(scope: Scope, documentId: string): Promise<DocumentRow> {
    const row = isUuid(documentId) ? await this.documents.find(scope, documentId) : null;
    if (row === null) throw documentNotFound();
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
  async getSettled(scope: Scope, documentId: string, seconds: number): Promise<DocumentRow> {
    const deadline = performance.now() + 1_000 * seconds;
    for (;;) {
      const row = await this.get(scope, documentId);
      const left = deadline - performance.now();
      if (statusOf(row) !== 'processing' || left <= 0 || this.isClosing) return row;
      await setTimeout(Math.min(POLL_MS, left));
      throwIfAborted();
    }
  }

  /** Returns the newest document with a file name. @throws NotFound */
  async getByFilename(scope: Scope, selection: DocumentSelection, filename: string): Promise<DocumentRow> {
    const row = await this.documents.findNewestByFilename(scope, selection, filename);
    if (row === null) throw documentNotFound();
    return row;
  }
}
