import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql from 'sql-template-tag';
import type { Scope } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { Conflict } from '../errors/index.js';
import { printJson } from '../json/exact-json.js';

/** Hours for which a key answers with its first response. */
const KEPT_HOURS = 24;

/** A request that its client may send twice: the key it chose, and what the request says. */
export interface IdempotentRequest {
  readonly key: string;
  /** Everything that makes the request what it is: method, path, query and body. */
  readonly content: unknown;
}

/** First answers by Idempotency-Key, per tenant. */
@Injectable()
export class IdempotencyRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The answer that the key was given before, or undefined.
   * @throws Conflict when the key came with another request.
   */
  async find(
    scope: Scope,
    request: IdempotentRequest,
    database: Queryable = this.dataSource,
  ): Promise<unknown> {
    const [row] = await run<{ same: boolean; response: unknown }>(
      database,
      sql`select request_hash = ${hashOf(request)} as same, response from idempotency_keys
          where app_id = ${scope.appId} and key = ${request.key}
            and created_at > clock_timestamp() - make_interval(hours => ${KEPT_HOURS})`,
    );
    if (row === undefined) return undefined;
    if (!row.same) throw new Conflict('This Idempotency-Key was used with another request');
    return row.response;
  }

  /**
   * Keeps the answer, in the transaction that makes the change. Two requests with one key wait for each other here.
   * @returns false when the other one was first: then the transaction is to be given up and its answer looked up.
   */
  async keep(
    manager: Queryable,
    scope: Scope,
    request: IdempotentRequest,
    response: unknown,
  ): Promise<boolean> {
    await run(
      manager,
      sql`delete from idempotency_keys
          where app_id = ${scope.appId} and created_at < clock_timestamp() - make_interval(hours => ${KEPT_HOURS})`,
    );
    const rows = await run(
      manager,
      sql`insert into idempotency_keys (app_id, key, request_hash, response)
          values (${scope.appId}, ${request.key}, ${hashOf(request)}, ${printJson(response)}::jsonb)
          on conflict do nothing returning key`,
    );
    return rows.length > 0;
  }
}

function hashOf({ content }: IdempotentRequest): Buffer {
  return createHash('sha256').update(printJson(content)).digest();
}
