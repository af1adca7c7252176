import sql from 'sql-template-tag';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
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
  if (manager.queryRunner === undefined) throw new Error('there is no transaction');
  const client = await clientOf(manager.queryRunner);
  const usual = client.statementMs;
  if (usual === 0) return work();
  const longer = usual + moreMs;
  // Until the end of the transaction.
  await run(manager, sql`select set_config('statement_timeout', ${String(longer)}, true)`);
  client.statementMs = longer;
  const time = statementTime();
  if (time !== undefined) time.extraMs += moreMs;
  try {
    return await work();
  } finally {
    client.statementMs = usual;
  }
}

/** Runs maintenance (migrations, the build of an index) on a connection whose statements take as long as they take. */
export async function withoutDeadline<T>(
  dataSource: DataSource,
  work: (session: QueryRunner) => Promise<T>,
): Promise<T> {
  const session = dataSource.createQueryRunner();
  const client = await clientOf(session);
  const usual = client.statementMs;
  client.statementMs = 0;
  try {
    await session.query('set statement_timeout = 0');
    await session.query('set lock_timeout = 0');
    const result = await work(session);
    await session.query('reset statement_timeout');
    await session.query('reset lock_timeout');
    return result;
  } finally {
    client.statementMs = usual;
    await session.release();
  }
}

async function clientOf(runner: QueryRunner): Promise<TimedClient> {
  return (await runner.connect()) as TimedClient;
}
