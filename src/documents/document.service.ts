import { setTimeout } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import type { Scope } from '../auth/scope.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { statusOf, type DocumentRow } from '../corpus/document-row.js';
import { NotFound } from '../errors/index.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { throwIfAborted } from '../request/request-context.js';

/** How often a document that somebody waits for is looked at. */
const LOOK_EVERY_MS = 200;

export function documentNotFound(): NotFound {
  return new NotFound('Document not found');
}

@Injectable()
export class DocumentService implements BeforeApplicationShutdown {
  private isClosing = false;

  constructor(private readonly documents: DocumentRepository) {}

  /** Requests that wait would hold up the end. */
  beforeApplicationShutdown(): void {
    this.isClosing = true;
  }

  /** @throws NotFound for an unknown id, and in the same words for another tenant's. */
  async get(scope: Scope, documentId: string): Promise<DocumentRow> {
    const row = isUuid(documentId) ? await this.documents.find(scope, documentId) : null;
    if (row === null) throw documentNotFound();
    return row;
  }

  /**
   * As `get`, once the document is not `processing` any more, at the latest after so many seconds or when the service
   * closes.
   */
  async getSettled(scope: Scope, documentId: string, seconds: number): Promise<DocumentRow> {
    const deadline = performance.now() + 1_000 * seconds;
    for (;;) {
      const row = await this.get(scope, documentId);
      const left = deadline - performance.now();
      if (statusOf(row) !== 'processing' || left <= 0 || this.isClosing) return row;
      await setTimeout(Math.min(LOOK_EVERY_MS, left));
      throwIfAborted();
    }
  }

  /** The newest document of that name. @throws NotFound when there is none. */
  async getByFilename(scope: Scope, selection: DocumentSelection, filename: string): Promise<DocumentRow> {
    const row = await this.documents.findNewestByFilename(scope, selection, filename);
    if (row === null) throw documentNotFound();
    return row;
  }
}
