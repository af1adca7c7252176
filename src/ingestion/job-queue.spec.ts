import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { onServer } from '../../test/support/server-database.js';
import { scopeOf } from '../auth/scope.js';
import { run } from '../database/run.js';
import { claimStatement, MAX_SIZE_DELAY_SECONDS, SHORT_BYTES } from './claim-statement.js';
import type { IngestionJob } from './job.js';
import { JobQueue } from './job-queue.js';

const WORKER = randomUUID();
const LONG = 100 * SHORT_BYTES;
const SHORT = 1_000;

describe('JobQueue', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let queue: JobQueue;
  beforeAll(async () => {
    database = await openTestDatabase();
    ({ dataSource } = database);
    queue = new JobQueue(dataSource);
    for (const name of ['a', 'b', 'c']) {
      await dataSource.query('insert into apps (app_id, name) values ($1, $1)', [name]);
    }
  }, 60_000);
  afterEach(async () => {
    await dataSource.query('delete from documents');
    await dataSource.query('delete from ingestion_turns');
  });
  afterAll(() => database.close());

  async function document(appId: string, externalId = randomUUID()): Promise<string> {
    await dataSource.query(
      `insert into documents (app_id, external_id, status, content_type) values ($1, $2, 'processing', 'text/plain')`,
      [appId, externalId],
    );
    return externalId;
  }

  /** Enqueues a job for the document `of`, or for a new document if `of` is absent. @returns the id of the document */
  async function enqueue(appId: string, size = SHORT, of?: string): Promise<string> {
    const id = of ?? (await document(appId));
    const payload = { source: { kind: 'posted' }, update: null } as const;
    await queue.enqueue(dataSource, scopeOf(appId, ['admin'], 'test'), id, payload, size);
    return id;
  }

  const age = (documentId: string, seconds: number): Promise<unknown> =>
    dataSource.query(
      `update ingestion_jobs set run_at = run_at - make_interval(secs => $2),
         order_at = order_at - make_interval(secs => $2) where document_id = $1`,
      [documentId, seconds],
    );

  async function take(maxBytes: number | null = null): Promise<IngestionJob> {
    const job = await queue.claim(WORKER, { maxBytes });
    if (job === null) throw new Error('no job is due');
    return job;
  }

  async function taken(count: number): Promise<string[]> {
    const ids = [];
    for (let i = 0; i < count; i += 1) ids.push((await take()).documentId);
    return ids;
  }

  it('claims posted texts only, if it is told to', async () => {
    const file = await document('a');
    const payload = { source: { kind: 'text', key: 'a/text' }, update: null } as const;
    await queue.enqueue(dataSource, scopeOf('a', ['admin'], 'test'), file, payload, SHORT);
    const text = await enqueue('a');
    expect((await queue.claim(WORKER, { isPosted: true }))?.documentId).toBe(text);
    expect(await queue.claim(WORKER, { isPosted: true })).toBeNull();
    expect((await queue.claim(WORKER))?.documentId).toBe(file);
  });

  it('serves tenants in turn, regardless of their number of jobs', async () => {
    for (let i = 0; i < 6; i += 1) await enqueue('a');
    await enqueue('b');
    await enqueue('c');
    await enqueue('c');
    const tenants = [];
    for (let i = 0; i < 9; i += 1) tenants.push((await take()).appId);
    expect(tenants).toEqual(['a', 'b', 'c', 'a', 'c', 'a', 'a', 'a', 'a']);
    expect(await queue.claim(WORKER)).toBeNull();
  });

  it('serves the least recently served tenant first, even after a period without jobs', async () => {
    for (let i = 0; i < 4; i += 1) await enqueue('b');
    const [first] = await taken(2);
    expect(first).toBeDefined();
    await enqueue('a');
    expect((await take()).appId).toBe('a');
    await enqueue('a');
    expect((await take()).appId).toBe('b');
    expect((await take()).appId).toBe('a');
  });

  it('runs a short document before a long one', async () => {
    const long = await enqueue('a', LONG);
    const middle = await enqueue('a', SHORT_BYTES);
    const short = await enqueue('a', SHORT);
    expect(await taken(3)).toEqual([short, middle, long]);
  });

  it('keeps the order of documents of the same size', async () => {
    const ids = [await enqueue('a'), await enqueue('a'), await enqueue('a')];
    expect(await taken(3)).toEqual(ids);
  });

  it('does not starve long documents: jobs enqueued ten minutes later stay behind', async () => {
    const long = await enqueue('a', LONG);
    await age(long, MAX_SIZE_DELAY_SECONDS);
    const shorts = [await enqueue('a', 0), await enqueue('a', 0)];
    expect(await taken(3)).toEqual([long, ...shorts]);
  });

  it('runs the jobs of a document in order, regardless of their size', async () => {
    const id = await enqueue('a', LONG);
    await enqueue('a', SHORT, id);
    const first = await take();
    expect(await queue.claim(WORKER)).toBeNull();
    await queue.finish(dataSource, scopeOf('a', ['admin'], 'test'), [first.jobId], WORKER);
    const second = await take();
    expect(BigInt(second.revision)).toBeGreaterThan(BigInt(first.revision));
  });

  it('skips long sources for the slot of short documents', async () => {
    await age(await enqueue('a', SHORT_BYTES + 1), 10 * MAX_SIZE_DELAY_SECONDS);
    const short = await enqueue('a', SHORT_BYTES);
    expect((await take(SHORT_BYTES)).documentId).toBe(short);
    expect(await queue.claim(WORKER, { maxBytes: SHORT_BYTES })).toBeNull();
  });

  it('runs a retried job after the jobs that are due before its delay ends', async () => {
    const retried = await enqueue('a');
    await queue.retry(await take(), WORKER, 60_000, 'the provider was unavailable');
    const other = await enqueue('a', LONG);
    expect(await taken(1)).toEqual([other]);
    expect(await queue.claim(WORKER)).toBeNull();
    await age(retried, 61);
    expect(await taken(1)).toEqual([retried]);
  });

  it('claims further short texts of the same tenant in order, one job per document', async () => {
    const first = await enqueue('a');
    const others = [await enqueue('a'), await enqueue('a')];
    await enqueue('a', SHORT, others[1]);
    await enqueue('a', LONG);
    await enqueue('b');
    const job = await take();
    expect(job.documentId).toBe(first);
    const further = await queue.claimMore(WORKER, job, 15);
    expect(further.map(({ documentId }) => documentId).sort()).toEqual(others.toSorted());
    expect(await queue.claimMore(WORKER, job, 15)).toEqual([]);
  });

  it('claims no further jobs for a long or retried job, and no retried jobs', async () => {
    await enqueue('a');
    const failed = await take();
    await queue.retry(failed, WORKER, 0, 'the provider was unavailable');
    const fresh = await enqueue('a');
    const further = await queue.claimMore(WORKER, failed, 15);
    expect(further.map(({ documentId }) => documentId)).toEqual([fresh]);
    await enqueue('a');
    expect(await queue.claimMore(WORKER, { ...failed, size: LONG }, 15)).toEqual([]);
    expect(await queue.claimMore(WORKER, { ...failed, attempts: 2 }, 15)).toEqual([]);
  });

  it('claims jobs with an expired lease first, and no job with a valid lease', async () => {
    const abandoned = await enqueue('a', LONG);
    const held = await enqueue('b', LONG);
    await taken(2);
    await enqueue('c');
    await dataSource.query(
      `update ingestion_jobs set leased_until = now() - interval '1 second' where document_id = $1`,
      [abandoned],
    );
    const again = await take();
    expect(again).toMatchObject({ documentId: abandoned, attempts: 2 });
    expect((await take()).appId).toBe('c');
    expect(await queue.claim(WORKER)).toBeNull();
    expect(held).not.toBe(abandoned);
  });

  onServer('with concurrent workers', () => {
    it('leases each job to one worker, without a deadlock', async () => {
      for (let i = 0; i < 30; i += 1) await enqueue('a');
      for (let i = 0; i < 10; i += 1) await enqueue('b');
      const ids: string[] = [];
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          for (
            let job = await queue.claim(randomUUID());
            job !== null;
            job = await queue.claim(randomUUID())
          ) {
            ids.push(job.documentId);
          }
        }),
      );
      expect(new Set(ids).size).toBe(40);
      expect(ids).toHaveLength(40);
    });
  });

  it('reads few rows of a long queue to find the next job', async () => {
    const [tenants, each] = [20, 200];
    await dataSource.query(
      `insert into apps (app_id, name) select 'many' || n, 'many' || n from generate_series(1, $1::int) n`,
      [tenants],
    );
    await dataSource.query(
      `with added as (
         insert into documents (app_id, external_id, status, content_type)
         select 'many' || t, gen_random_uuid(), 'processing', 'text/plain'
         from generate_series(1, $1::int) t, generate_series(1, $2::int) returning app_id, external_id)
       insert into ingestion_jobs (app_id, document_id) select app_id, external_id from added`,
      [tenants, each],
    );
    await dataSource.query('analyze ingestion_jobs');
    const { text, values } = claimStatement(WORKER, {});
    const [row] = await run<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(dataSource, {
      text: `explain (analyze, format json) ${text}`,
      values,
    } as Parameters<typeof run>[1]);
    const read = rowsRead(row?.['QUERY PLAN'][0]?.Plan);
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(5 * tenants);
  });
});

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

function rowsRead(plan: PlanNode | undefined): number {
  if (plan === undefined) return 0;
  const { 'Actual Rows': rows, 'Rows Removed by Filter': removed = 0, 'Actual Loops': loops } = plan;
  const own = plan['Relation Name'] === undefined ? 0 : (rows + removed) * loops;
  return (plan.Plans ?? []).reduce((sum, below) => sum + rowsRead(below), own);
}
