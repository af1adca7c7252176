import sql from 'sql-template-tag';
import type { EntityManager } from 'typeorm';
import { statementTime } from '../request/request-context.js';
import { run } from './run.js';
import type { TimedClient } from './timed-client.js';

/**
 * Lets each statement of `work`, a part of the transaction of `manager`, take `moreMs` longer than others, and those of
 * the request together.
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

/**
 * Runs maintenance (migrations, the build of an index), a part of the transaction of `manager`: its statements take and
 * wait as long as they do.
 */
export async function withoutDeadline<T>(manager: EntityManager, work: () => Promise<T>): Promise<T> {
  const client = await clientOf(manager);
  await run(
    manager,
    sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`,
  );
  return within(client, 0, work);
}

/** What the server was told lasts until the end of the transaction. */
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
  if (queryRunner === undefined) throw new Error('there is no transaction');
  return (await queryRunner.connect()) as TimedClient;
}
