import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Raw, type EntityManager, type Repository } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { Conflict } from '../../errors/index.js';
import { printJson } from '../../json/exact-json.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';

/** The moment since which a key answers with its first response, by the clock of the database. */
const KEPT_SINCE = `clock_timestamp() - interval '24 hours'`;

/** A request that its client may send twice: the key it chose, and what the request says. */
export interface IdempotentRequest {
  readonly key: string;
  /** Everything that makes the request what it is: method, path, query and body. */
  readonly content: unknown;
}

/** First answers by Idempotency-Key, per tenant. */
@Injectable()
export class IdempotencyRepository {
  constructor(
    @InjectRepository(IdempotencyKeyEntity) private readonly keys: Repository<IdempotencyKeyEntity>,
  ) {}

  /**
   * The answer that the key was given before, or undefined.
   * @throws Conflict when the key came with another request.
   */
  async find({ appId }: Scope, request: IdempotentRequest): Promise<unknown> {
    const createdAt = Raw((column) => `${column} > ${KEPT_SINCE}`);
    const known = await this.keys.findOneBy({ appId, key: request.key, createdAt });
    if (known === null) return undefined;
    if (!known.requestHash.equals(hashOf(request))) {
      throw new Conflict('This Idempotency-Key was used with another request');
    }
    return known.response;
  }

  /**
   * Keeps the answer, in the transaction that makes the change. Two requests with one key wait for each other here.
   * @returns false when the other one was first: then the transaction is to be given up and its answer looked up.
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
      .values({ appId, key: request.key, requestHash: hashOf(request), response: response as object })
      .orIgnore()
      .updateEntity(false)
      .returning('key')
      .execute();
    return (inserted.raw as unknown[]).length > 0;
  }
}

function hashOf({ content }: IdempotentRequest): Buffer {
  return createHash('sha256').update(printJson(content)).digest();
}
