import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { settingsWith } from '../../../test/support/settings.js';
import { fillTables } from '../../../test/support/filled-tables.js';
import { StoredDocuments } from '../../../test/support/stored-documents.js';
import { AppEntity } from '../../auth/app.entity.js';
import { AppRepository } from '../../auth/app.repository.js';
import { shardIds, shardsOf } from '../../auth/scope.js';
import { TENANT_TABLES, tenantTables } from '../../database/tenant-tables.js';
import { Unavailable } from '../../errors/index.js';
import { ObjectTombstones } from '../../ingestion/object-tombstones.js';
import { LocalObjectStore } from '../../storage/local/local-object-store.js';
import type { ObjectStore } from '../../storage/object-store.js';
import { TenantRemoval } from './tenant-removal.js';

describe('the removal of a tenant', () => {
  let database: TestDatabase;
  let folder: string;
  let objects: LocalObjectStore;
  let documents: StoredDocuments;
  beforeAll(async () => {
    database = await openTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'lectern-removal-'));
    objects = new LocalObjectStore(folder);
    documents = new StoredDocuments(database.dataSource, 8);
  }, 60_000);
  afterAll(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const query = (text: string, parameters: unknown[] = []) =>
    database.dataSource.query<Record<string, unknown>[]>(text, parameters);

  function removal(store: ObjectStore = objects): TenantRemoval {
    const { dataSource } = database;
    const tombstones = new ObjectTombstones(settingsWith(), dataSource, store);
    return new TenantRemoval(
      settingsWith(),
      dataSource,
      new AppRepository(dataSource.getRepository(AppEntity)),
      tombstones,
    );
  }

  /** Creates a tenant with rows in every table, in each of its shards. */
  async function furnish(appId: string, shards = 1): Promise<void> {
    for (const shard of shardsOf(await documents.tenant(appId, shards))) await fillTables(documents, shard);
    await objects.put(`${appId}/doc/a`, Buffer.from('x'));
  }

  /** Counts the rows of a tenant in each table. Skips the audit log and its chain, which outlive tenants. */
  async function rowsOf(appId: string): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    const tables = await query(
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'app_id' and not table_name in ('audit_log', 'audit_seals') order by 1`,
    );
    for (const { name } of tables) {
      const [row] = await query(`select count(*)::int as n from ${String(name)} where app_id = $1`, [appId]);
      counts[String(name)] = row?.['n'] as number;
    }
    return counts;
  }

  const mark = (appId: string) => query('update apps set removing_since = now() where app_id = $1', [appId]);
  const filesOf = async (appId: string): Promise<number> => {
    let count = 0;
    for await (const _ of objects.list(appId)) count += 1;
    return count;
  };
  const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0);

  it('leaves no row and no object, and other tenants unchanged', async () => {
    await furnish('going');
    await furnish('staying');
    const before = await rowsOf('staying');
    const { object_removals, ...filled } = before;
    expect(object_removals).toBe(0);
    expect(Object.entries(filled).filter(([, count]) => count === 0)).toEqual([]);
    await mark('going');
    await removal().finish('going');
    expect(sum(await rowsOf('going'))).toBe(0);
    expect(await query(`select action from audit_log where app_id = 'going'`)).toHaveLength(1);
    expect(await filesOf('going')).toBe(0);
    expect(await rowsOf('staying')).toEqual(before);
    expect(await filesOf('staying')).toBe(1);
  });

  it('removes all shards, from any point of interruption', async () => {
    await furnish('wide', 3);
    await furnish('wider', 2);
    const shards = shardIds({ appId: 'wide', shards: 3 });
    const others = shardIds({ appId: 'wider', shards: 2 });
    const before = await Promise.all(others.map(rowsOf));
    await mark('wide');
    const dying = removal();
    const removing = dying.finish('wide');
    await dying.beforeApplicationShutdown();
    await removing;
    for (const shard of shards) expect((await rowsOf(shard))['apps']).toBe(1);
    await removal().finish('wide');
    for (const shard of shards) expect(sum(await rowsOf(shard))).toBe(0);
    expect(await filesOf('wide')).toBe(0);
    expect(await Promise.all(others.map(rowsOf))).toEqual(before);
  });

  it('covers every table with a tenant column', async () => {
    const tables = Object.keys(await rowsOf('nobody'));
    expect([...tenantTables(database.dataSource), 'apps', 'object_removals'].sort()).toEqual(tables.sort());
    expect(Object.keys(TENANT_TABLES).sort()).toEqual([...tables, 'audit_log', 'audit_seals'].sort());
  });

  it('is resumed by the next process that starts', async () => {
    await furnish('interrupted');
    await mark('interrupted');
    const dying = removal();
    const removing = dying.finish('interrupted');
    await dying.beforeApplicationShutdown();
    await removing;
    expect((await rowsOf('interrupted'))['apps']).toBe(1);
    const next = removal();
    await next.onApplicationBootstrap();
    await next.finish('interrupted');
    await next.beforeApplicationShutdown();
    expect(sum(await rowsOf('interrupted'))).toBe(0);
    expect(await filesOf('interrupted')).toBe(0);
  });

  it('keeps the tenant until an unavailable store works again', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    await furnish('storeless');
    await mark('storeless');
    const down = Object.create(objects) as LocalObjectStore;
    down.deletePrefix = () => Promise.reject(new Unavailable('The store is down'));
    await removal(down).finish('storeless');
    const { apps, object_removals, ...others } = await rowsOf('storeless');
    expect([apps, object_removals, sum(others)]).toEqual([1, 1, 0]);
    warned.mockRestore();
    await removal().finish('storeless');
    expect(sum(await rowsOf('storeless'))).toBe(0);
    expect(await filesOf('storeless')).toBe(0);
  });

  it('may run in two processes concurrently', async () => {
    await furnish('twice');
    await mark('twice');
    await Promise.all([removal().finish('twice'), removal().finish('twice')]);
    expect(sum(await rowsOf('twice'))).toBe(0);
  });
});
