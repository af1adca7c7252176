import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Raw, type EntityManager, type Repository } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { Conflict } from '../../errors/index.js';
import { IdempotencyKeyEntity } from '../../http/idempotency/idempotency-key.entity.js';
import { KEPT_HOURS, requestHash } from '../../http/idempotency/kept-answers.repository.js';

const KEPT_SINCE = `clock_timestamp() - interval '${KEPT_HOURS} hours'`;

export interface IdempotentRequest {
  readonly key: string;
  /** Everything that identifies the request: method, path, query and body. */
  readonly content: unknown;
}

/** Stores the first response for each Idempotency-Key of a tenant. */
@Injectable()
export class IdempotencyRepository {
  constructor(
    @InjectRepository(IdempotencyKeyEntity) private readonly keys: Repository<IdempotencyKeyEntity>,
  ) {}

  /**
   * Returns the response that is stored for the key, or undefined if none is stored.
   *
   * @throws Conflict if the key was used with another request.
   */
  async find({ appId }: Scope, request: IdempotentRequest): Promise<unknown> {
    const createdAt = Raw((column) => `${column} > ${KEPT_SINCE}`);
    const known = await this.keys.findOneBy({ appId, key: request.key, createdAt });
    if (known === null) return undefined;
    if (!known.requestHash.equals(requestHash(request.content))) {
      throw new Conflict('This Idempotency-Key was used with another request');
    }
    return known.response;
  }

  /**
   * Stores the response in the transaction that makes the change. Concurrent requests with the same key wait for each
   * other here.
   *
   * @returns false if another request with the key was first; the caller then rolls back and looks up its response.
   */
  async keep(
    manager: EntityManager,
    { appId }: Scope,
    request: IdempotentRequest,
    response: unknown,
  ): Promise<boolean> {
    await manager.delete(IdempotencyKeyEntity, {
      appId,
      createdAt: Raw((column) => `${column} < ${KEPT_SINCE}`),
    });
    const inserted = await manager
      .createQueryBuilder()
      .insert()
      .into(IdempotencyKeyEntity)
      .values({
        appId,
        key: request.key,
        requestHash: requestHash(request.content),
        response: response as object,
      })
      .orIgnore()
      .updateEntity(false)
      .returning('key')
      .execute();
    return (inserted.raw as unknown[]).length > 0;
  }
}
