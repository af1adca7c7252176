import { Injectable } from '@nestjs/common';
import { wholeTenant, type Scope } from '../auth/scope.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { DocumentSight } from '../http/idempotency/idempotency.js';

@Injectable()
export class StoredDocumentSight extends DocumentSight {
  constructor(private readonly documents: DocumentRepository) {
    super();
  }

  async existing(scope: Scope, ids: readonly string[]): Promise<string[]> {
    return ids.length === 0 ? [] : [...(await this.documents.readable(wholeTenant(scope), ids))];
  }

  readable(scope: Scope, ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.documents.readable(scope, ids);
  }
}
