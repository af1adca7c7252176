import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { scopeOf } from '../../auth/scope.js';
import type { ObservedRequest } from '../../http/request-observation.js';
import type { KeyRepository } from '../../auth/key.repository.js';
import { KeyUses } from './key-uses.js';
import { MAX_WAITING, OperationLog, operationTypeOf } from './operation-log.js';

const request = (requestId: string, more: Partial<ObservedRequest> = {}): ObservedRequest => ({
  scope: scopeOf('a', ['read'], 'k'),
  method: 'POST',
  route: '/query',
  requestId,
  at: new Date(),
  statusCode: 200,
  aborted: false,
  durationMs: 1.23,
  tokens: 7,
  ...more,
});

const ALL = { limit: 500, hours: 168, operationType: null, status: null };

const logOf = (dataSource: DataSource): OperationLog =>
  new OperationLog(dataSource, new KeyUses({ used: () => Promise.resolve() } as unknown as KeyRepository));

describe('the operation log', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    await database.dataSource.query(`insert into apps (app_id, name) values ('a', 'a'), ('b', 'b')`);
  }, 60_000);
  afterAll(() => database.close());
  beforeEach(() => database.dataSource.query('delete from operation_log'));

  const scope = scopeOf('a', ['admin'], 'k');
  const idsOf = async (log: OperationLog): Promise<string[]> =>
    (await log.list(scope, ALL)).map(({ requestId }) => requestId);

  it('writes many entries in one statement, in order', async () => {
    const statements = jest.spyOn(database.dataSource, 'query');
    const log = logOf(database.dataSource);
    for (let i = 0; i < 300; i += 1) log.over(request(`r${i}`));
    const ids = await idsOf(log);
    expect(statements.mock.calls.filter(([text]) => text.includes('insert into operation_log'))).toHaveLength(
      1,
    );
    statements.mockRestore();
    expect(ids).toEqual(Array.from({ length: 300 }, (_, i) => `r${299 - i}`));
  });

  it('skips entries of deleted tenants, and keeps the rest', async () => {
    const log = logOf(database.dataSource);
    log.over(request('gone', { scope: scopeOf('gone', ['read'], 'k') }));
    log.over(request('here'));
    expect(await idsOf(log)).toEqual(['here']);
  });

  it('stores impossible token counts of a provider', async () => {
    const log = logOf(database.dataSource);
    log.over(request('fraction', { tokens: 1.5 }));
    log.over(request('endless', { tokens: 5e9 }));
    log.over(request('next'));
    expect((await log.list(scope, ALL)).map(({ tokensUsed }) => tokensUsed)).toEqual([7, 2_147_483_647, 2]);
  });

  it('logs an aborted request as an error', async () => {
    const log = logOf(database.dataSource);
    log.over(request('left', { aborted: true }));
    expect(await log.list(scope, ALL)).toMatchObject([{ status: 'error', statusCode: 499, tokensUsed: 7 }]);
  });

  it('keeps a bounded number of the newest entries while the database is unavailable, and writes them later', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const { dataSource } = database;
    let isAway = true;
    const flaky = {
      query: (text: string, parameters?: unknown[]) =>
        isAway ? Promise.reject(new Error('away')) : dataSource.query(text, parameters),
    } as DataSource;
    const log = logOf(flaky);
    for (let i = 0; i < MAX_WAITING + 5; i += 1) log.over(request(`r${i}`));
    await expect(log.list(scope, ALL)).rejects.toThrow('away');
    isAway = false;
    expect((await idsOf(log))[0]).toBe(`r${MAX_WAITING + 4}`);
    const [row] = await dataSource.query<{ n: number }[]>('select count(*)::int as n from operation_log');
    expect(row?.n).toBe(MAX_WAITING);
    expect(warned.mock.calls.at(-1)).toEqual([{ lost: 5 }, 'entries of the operation log were lost']);
    warned.mockRestore();
  }, 60_000);

  it('deletes entries beyond the maximum age and number', async () => {
    const { dataSource } = database;
    const insert = (count: number, appId: string, age: string) =>
      dataSource.query(
        `insert into operation_log (app_id, logged_at, operation_type, status, status_code, duration_ms, tokens_used,
           key_id, request_id)
         select $2, now() - $3::interval, 'query', 'success', 200, 1, 0, 'k', 'r' from generate_series(1, $1::int)`,
        [count, appId, age],
      );
    await insert(10_050, 'a', '1 hour');
    await insert(3, 'b', '8 days');
    await insert(2, 'b', '6 days');
    const log = logOf(dataSource);
    log.over(request('new'));
    await log.list(scope, ALL);
    await log.prune();
    const counts = await dataSource.query<object[]>(
      'select app_id, count(*)::int as n from operation_log group by app_id order by app_id',
    );
    expect(counts).toEqual([
      { app_id: 'a', n: 10_000 },
      { app_id: 'b', n: 2 },
    ]);
    expect((await idsOf(log))[0]).toBe('new');
  });

  it.each([
    ['POST', '/query', 'query'],
    ['POST', '/documents/:documentId/update_text', 'update_document_text'],
    ['DELETE', '/folders/:folder/documents/:document', 'remove_document_from_folder'],
    ['POST', '/apps/rotate_token', 'post_apps_rotate_token'],
    ['PATCH', '/chats/:id/title', 'patch_chats_title'],
    ['GET', '/documents/:id', null],
  ])('names %s %s %s', (method, route, type) => {
    expect(operationTypeOf(method, route)).toBe(type);
  });
});
