import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import type { Scope } from '../../auth/scope.js';
import type { Queryable } from '../../database/run.js';
import { Conflict } from '../../errors/index.js';

/** What happens to a source that is stored already. */
export const ON_DUPLICATE = ['reject', 'return', 'version'] as const;
export type OnDuplicate = (typeof ON_DUPLICATE)[number];

/** Where a document will be: a duplicate elsewhere is none. */
export interface Place {
  readonly folder: string | null;
  readonly endUserId: string | null;
}

/** Ends the transaction that would have added a duplicate. */
export class DuplicateFound extends Error {
  constructor(readonly document: DocumentRow) {
    super('the source is stored already');
  }
}

/** Returns the hexadecimal SHA-256 of a text in UTF-8, as the object store computes that of a file. */
export function sumOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Finds documents that were made of the same bytes, among those that the caller may read, in the same folder, and shared
 * or of the same end user. A failed document is none.
 */
@Injectable()
export class Duplicates {
  constructor(private readonly documents: DocumentRepository) {}

  /**
   * Makes concurrent requests with the same bytes wait for each other until the transaction of `manager` ends.
   * @throws DuplicateFound
   */
  async refuse(manager: Queryable, scope: Scope, sum: string | null, place: Place): Promise<void> {
    if (sum === null) return;
    await this.documents.lockSource(manager, scope, sum);
    const found = await this.documents.findBySource(manager, scope, sum, place);
    if (found !== null) throw new DuplicateFound(found);
  }
}

export function alreadyStored({ external_id: id, filename }: DocumentRow): Conflict {
  const name = filename === null ? '' : ` ("${filename}")`;
  return new Conflict(`The same content is stored as document ${id}${name}`);
}
