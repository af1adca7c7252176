import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { run } from '../../database/run.js';
import { printJson } from '../../json/exact-json.js';

/** Minutes after which a request without an answer counts as lost with its process. */
const LOST_AFTER_MINUTES = 15;
/** How long an answer is kept for its Idempotency-Key, by the clock of the database. */
export const KEPT_HOURS = 24;

/** The request that a key was used for. */
interface Known {
  readonly isSame: boolean;
  readonly isRunning: boolean;
  readonly statusCode: number;
  /** null: the answer was not kept. */
  readonly body: string | null;
  readonly documents: readonly string[];
}

/** Hash of everything that identifies a request. */
export function requestHash(content: unknown): Buffer {
  return createHash('sha256').update(printJson(content)).digest();
}

/** A key that this request has, until its answer is kept. */
export interface Claim {
  readonly appId: string;
  readonly key: string;
  /** The end of the claim, which tells it from a later one. */
  readonly until: string;
}

/** Stores the answers of requests by their Idempotency-Key. */
@Injectable()
export class KeptAnswers {
  constructor(private readonly dataSource: DataSource) {}

  /** Takes a key that is unused, expired, or whose request was lost. @returns the earlier request otherwise */
  async claim({ appId }: Pick<Scope, 'appId'>, key: string, hash: Buffer): Promise<Claim | Known> {
    await run(
      this.dataSource,
      sql`delete from idempotency_keys k
          where k.app_id = ${appId} and k.created_at < statement_timestamp() - make_interval(hours => ${KEPT_HOURS})`,
    );
    const [taken] = await run<{ until: string }>(
      this.dataSource,
      sql`insert into idempotency_keys as k (app_id, key, request_hash, response, created_at, running_until)
          values (${appId}, ${key}, ${hash}, 'null'::jsonb, statement_timestamp(),
            statement_timestamp() + make_interval(mins => ${LOST_AFTER_MINUTES}))
          on conflict (app_id, key) do update set request_hash = excluded.request_hash, response = excluded.response,
            created_at = excluded.created_at, running_until = excluded.running_until
          where k.running_until < excluded.created_at
          returning k.running_until::text as until`,
    );
    if (taken !== undefined) return { appId, key, until: taken.until };
    const [known] = await run<Known>(
      this.dataSource,
      sql`select k.request_hash = ${hash} as "isSame", k.running_until is not null as "isRunning",
            k.status_code as "statusCode", k.response #>> '{}' as body, k.documents
          from idempotency_keys k where k.app_id = ${appId} and k.key = ${key}`,
    );
    // Released between the two statements.
    return known ?? this.claim({ appId }, key, hash);
  }

  async keep(
    { appId, key, until }: Claim,
    statusCode: number,
    body: string | null,
    documents: readonly string[],
  ): Promise<void> {
    await run(
      this.dataSource,
      sql`update idempotency_keys k set response = ${printJson(body)}::jsonb, status_code = ${statusCode},
            documents = ${documents}::uuid[], running_until = null
          where k.app_id = ${appId} and k.key = ${key} and k.running_until = ${until}::timestamptz`,
    );
  }

  async release({ appId, key, until }: Claim): Promise<void> {
    await run(
      this.dataSource,
      sql`delete from idempotency_keys k
          where k.app_id = ${appId} and k.key = ${key} and k.running_until = ${until}::timestamptz`,
    );
  }
}
