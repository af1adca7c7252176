import sql from 'sql-template-tag';
import type { EntityManager } from 'typeorm';
import { statementTime } from '../request/request-context.js';
import { run } from './run.js';
import type { TimedClient } from './timed-client.js';

/**
 * Runs `work` in the transaction of `manager`. Extends two deadlines by `moreMs`: the deadline of each statement of
 * `work`, and the deadline of all statements of the request together.
 */
export async function withLongerDeadline<T>(
  manager: EntityManager,
  moreMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const client = await clientOf(manager);
  if (client.statementMs === 0) return work();
  const longer = client.statementMs + moreMs;
  await run(manager, sql`select set_config('statement_timeout', ${String(longer)}, true)`);
  const time = statementTime();
  if (time !== undefined) time.extraMs += moreMs;
  return within(client, longer, work);
}

/** Runs maintenance (migrations, index builds) in the transaction of `manager` without deadlines. */
export async function withoutDeadline<T>(manager: EntityManager, work: () => Promise<T>): Promise<T> {
  const client = await clientOf(manager);
  await run(
    manager,
    sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`,
  );
  return within(client, 0, work);
}

/** Sets the deadline for statements in the client while `work` runs. */
async function within<T>(client: TimedClient, statementMs: number, work: () => Promise<T>): Promise<T> {
  const usual = client.statementMs;
  client.statementMs = statementMs;
  try {
    return await work();
  } finally {
    client.statementMs = usual;
  }
}

async function clientOf({ queryRunner }: EntityManager): Promise<TimedClient> {
  if (queryRunner === undefined) throw new Error('requires a transaction');
  return (await queryRunner.connect()) as TimedClient;
}
