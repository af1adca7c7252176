import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { endUserOf } from '../../access/principal.js';
import type { Scope } from '../../auth/scope.js';
import { run, type Queryable } from '../../database/run.js';
import { parseJson, printJson } from '../../json/exact-json.js';
import type { Item, OutputItem } from './items.js';
import type { ResponseObject } from './response-object.js';

/** Identifies a response of a tenant and end user. `endUserId` is null for a response without an end user. */
export interface ResponseIdentity {
  readonly id: string;
  readonly endUserId: string | null;
}

export interface NewResponse extends ResponseIdentity {
  readonly previousId: string | null;
  readonly input: readonly Item[];
  readonly response: ResponseObject;
}

/** A response in a chain of `previous_response_id`. */
export interface Ancestor {
  readonly id: string;
  readonly previousId: string | null;
  readonly bytes: number;
}

interface TextRow {
  readonly id: string;
  readonly input: string;
  readonly output: string;
}

/**
 * Statements over stored responses. A key of an end user reaches only the responses of this end user, even if the
 * request names another end user.
 */
@Injectable()
export class ResponseRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insert(
    manager: Queryable,
    scope: Scope,
    { id, endUserId, previousId, ...stored }: NewResponse,
  ): Promise<void> {
    const input = printJson(stored.input);
    const response = printJson(stored.response);
    const bytes = Buffer.byteLength(input) + Buffer.byteLength(response);
    await run(
      manager,
      sql`insert into responses (app_id, response_id, end_user_id, previous_id, input, response, bytes)
          values (${scope.appId}, ${id}::uuid, ${endUserOf(scope, endUserId)}, ${previousId}::uuid, ${input}::json, ${response}::json, ${bytes})`,
    );
  }

  async find(scope: Scope, { id, endUserId }: ResponseIdentity): Promise<ResponseObject | null> {
    const [row] = await run<{ response: string }>(
      this.dataSource,
      sql`select r.response::text as response from responses r
          where r.app_id = ${scope.appId} and r.response_id = ${id}::uuid
            and r.end_user_id is not distinct from ${endUserOf(scope, endUserId)}::text`,
    );
    return row === undefined ? null : (parseJson(row.response) as ResponseObject);
  }

  /** The input of a response; null: the response does not exist. */
  async input(scope: Scope, { id, endUserId }: ResponseIdentity): Promise<Item[] | null> {
    const [row] = await run<{ input: string }>(
      this.dataSource,
      sql`select r.input::text as input from responses r
          where r.app_id = ${scope.appId} and r.response_id = ${id}::uuid
            and r.end_user_id is not distinct from ${endUserOf(scope, endUserId)}::text`,
    );
    return row === undefined ? null : (parseJson(row.input) as Item[]);
  }

  /** @returns whether the response existed */
  async delete(scope: Scope, { id, endUserId }: ResponseIdentity): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`delete from responses r
          where r.app_id = ${scope.appId} and r.response_id = ${id}::uuid
            and r.end_user_id is not distinct from ${endUserOf(scope, endUserId)}::text
          returning r.response_id`,
    );
    return rows.length > 0;
  }

  /** A response and the responses before it in its chain, oldest first; at most `limit`. */
  async ancestors(scope: Scope, { id, endUserId }: ResponseIdentity, limit: number): Promise<Ancestor[]> {
    return run<Ancestor>(
      this.dataSource,
      sql`with recursive chain as (
            select r.response_id, r.previous_id, r.bytes, 1 as depth from responses r
            where r.app_id = ${scope.appId} and r.response_id = ${id}::uuid
              and r.end_user_id is not distinct from ${endUserOf(scope, endUserId)}::text
            union all
            select r.response_id, r.previous_id, r.bytes, chain.depth + 1 from chain
            join responses r on r.app_id = ${scope.appId} and r.response_id = chain.previous_id
              and r.end_user_id is not distinct from ${endUserOf(scope, endUserId)}::text
            where chain.depth < ${limit}
          )
          select response_id as id, previous_id as "previousId", bytes from chain order by depth desc`,
    );
  }

  /** Total size of the responses in bytes. Unknown responses are ignored. */
  async totalBytes(scope: Scope, ids: readonly string[], endUserId: string | null): Promise<number> {
    const [row] = await run<{ bytes: number }>(
      this.dataSource,
      sql`select coalesce(sum(r.bytes), 0)::float8 as bytes from responses r
          where r.app_id = ${scope.appId} and r.response_id = any(${ids}::uuid[])
            and r.end_user_id is not distinct from ${endUserOf(scope, endUserId)}::text`,
    );
    return row?.bytes ?? 0;
  }

  /** Items by the id of their response: the items of its input, then the items of its output. */
  async items(
    scope: Scope,
    ids: readonly string[],
    endUserId: string | null,
  ): Promise<ReadonlyMap<string, readonly Item[]>> {
    const rows = await run<TextRow>(
      this.dataSource,
      sql`select r.response_id as id, r.input::text as input, (r.response -> 'output')::text as output
          from responses r
          where r.app_id = ${scope.appId} and r.response_id = any(${ids}::uuid[])
            and r.end_user_id is not distinct from ${endUserOf(scope, endUserId)}::text`,
    );
    return new Map(
      rows.map(({ id, input, output }) => [
        id,
        [...(parseJson(input) as Item[]), ...(parseJson(output) as OutputItem[])],
      ]),
    );
  }
}
