import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { Conflict } from '../../errors/index.js';
import { IdempotencyRepository, type IdempotentRequest } from '../../http/idempotency.repository.js';
import { recordOf, type DocumentRecord } from '../document-record.js';
import { UpdateTextService, type TextUpdate } from './update-text.service.js';

/** The other request with the same key was first: this one's transaction is given up. */
class AnsweredMeanwhile extends Conflict {}

/** Text updates that may be sent twice: the answer is kept in the transaction of the update. */
@Injectable()
export class IdempotentUpdateService {
  constructor(
    private readonly updates: UpdateTextService,
    private readonly keys: IdempotencyRepository,
  ) {}

  /**
   * @param key value of Idempotency-Key; undefined updates every time.
   * @throws Conflict when the key came with another request before.
   */
  async update(
    scope: Scope,
    documentId: string,
    update: TextUpdate,
    key: string | undefined,
  ): Promise<DocumentRecord> {
    if (key === undefined) return recordOf(await this.updates.updateText(scope, documentId, update));
    const request: IdempotentRequest = { key, content: ['update_text', documentId, update] };
    const answered = await this.answer(scope, request);
    if (answered !== undefined) return answered;
    try {
      const row = await this.updates.updateText(scope, documentId, update, async (manager, updated) => {
        if (!(await this.keys.keep(manager, scope, request, recordOf(updated)))) {
          throw new AnsweredMeanwhile('This Idempotency-Key was used by another request at the same time');
        }
      });
      return recordOf(row);
    } catch (error) {
      const first = error instanceof AnsweredMeanwhile ? await this.answer(scope, request) : undefined;
      if (first === undefined) throw error;
      return first;
    }
  }

  private async answer(scope: Scope, request: IdempotentRequest): Promise<DocumentRecord | undefined> {
    return (await this.keys.find(scope, request)) as DocumentRecord | undefined;
  }
}
