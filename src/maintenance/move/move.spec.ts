import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { fillTables } from '../../../test/support/filled-tables.js';
import { StoredDocuments } from '../../../test/support/stored-documents.js';
import { scopeOf, shardIds, shardOf, shardsOf } from '../../auth/scope.js';
import { TENANT_TABLES } from '../../database/tenant-tables.js';
import { LocalObjectStore } from '../../storage/local/local-object-store.js';
import { Export } from './export.js';
import { movedTables } from './moved-tables.js';
import { Restore, type RestoreOptions } from './restore.js';

jest.setTimeout(120_000);

const FILE = Buffer.from('the bytes of a file\n'.repeat(5_000));

/** An installation: a database and a store. */
class Installation {
  private constructor(
    readonly database: TestDatabase,
    private readonly folder: string,
    readonly store: LocalObjectStore,
    readonly documents: StoredDocuments,
  ) {}

  static async open(): Promise<Installation> {
    const database = await openTestDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'lectern-move-'));
    const documents = new StoredDocuments(database.dataSource, 8);
    await database.dataSource.query(
      `insert into service_state values ('embedding_space', '{"model": "fake", "dimensions": 8}')`,
    );
    await documents.makeVectorIndex();
    return new Installation(database, folder, new LocalObjectStore(folder), documents);
  }

  query<T = Record<string, unknown>>(text: string, parameters: unknown[] = []): Promise<T[]> {
    return this.database.dataSource.query(text, parameters);
  }

  /**
   * Creates a tenant that has rows in every table. Among them are a document with a file, a page, and the staged chunks
   * of a job.
   */
  async fill(appId: string, shards = 1): Promise<void> {
    for (const shard of shardsOf(await this.documents.tenant(appId, shards))) {
      const [id = ''] = await fillTables(this.documents, shard);
      const key = `${appId}/${id}/a.txt`;
      await this.store.put(key, FILE);
      const files = JSON.stringify([{ bucket: 'local', key, version: 1 }]);
      await this.query(
        `update documents set storage_files = $3, ingested_from = jsonb_build_object('source', jsonb_build_object('key', $4::text)),
           page_revisions = '{1}', metadata = '{"exact": 0.1000000000000000055}' where app_id = $1 and external_id = $2`,
        [shard.appId, id, files, key],
      );
      await this.query(
        `update ingestion_jobs set state = 'running', leased_until = now() where app_id = $1`,
        [shard.appId],
      );
    }
  }

  async export(appId: string | null = null): Promise<Buffer> {
    const out = new PassThrough();
    const bytes = wholeOf(out);
    await new Export(this.database.dataSource, this.store).write(out, appId, () => undefined);
    out.end();
    return bytes;
  }

  /** @param cut number of bytes after which the restoring process ends */
  async restore(bytes: Buffer, options: Partial<RestoreOptions> = {}, cut?: number): Promise<void> {
    async function* source(): AsyncGenerator<Buffer> {
      for (let at = 0; at < bytes.length; at += 65_536) {
        if (cut !== undefined && at + 65_536 > cut) {
          yield bytes.subarray(at, cut);
          throw new Error('killed');
        }
        yield Promise.resolve(bytes.subarray(at, at + 65_536));
      }
    }
    const ownership = { access: () => Promise.resolve({ kind: 'own' as const }) };
    const restore = new Restore(this.database.dataSource, this.store, ownership, {
      into: null,
      shards: null,
      ...options,
    });
    await restore.read(source(), () => undefined);
  }

  /**
   * Returns the rows of a tenant in every moved table and in the statistics. Omits the numbers that a restore assigns
   * again.
   */
  async rowsOf(appId: string): Promise<Record<string, unknown[]>> {
    const found: Record<string, unknown[]> = {};
    const ids = shardIds({ appId, shards: 64 });
    for (const table of [...Object.keys(TENANT_TABLES), 'term_stats']) {
      const rows = await this.query<{ row: string }>(
        `select (to_jsonb(t) - '{page_id,revision,entry_id,leased_until,state,taken_at}'::text[])::text as row from ${table} t
         where app_id = any($1) order by 1`,
        [ids],
      );
      found[table] = rows.map(({ row }) => row);
    }
    return found;
  }

  /** Returns the rows of acme, and the number of rows in tables whose rows are not moved to another installation. */
  async moved(): Promise<Record<string, unknown[]> & { readonly anew: number }> {
    const {
      audit_log = [],
      detached_files = [],
      ingestion_turns = [],
      rate_limits = [],
      object_removals = [],
      ...rows
    } = await this.rowsOf('acme');
    return {
      ...rows,
      anew: [audit_log, detached_files, ingestion_turns, rate_limits, object_removals].flat().length,
    } as never;
  }

  async filesOf(appId: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key, size } of this.store.list(appId)) keys.push(`${key} ${size}`);
    return keys.sort();
  }

  async close(): Promise<void> {
    await this.database.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function wholeOf(stream: PassThrough): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

describe('an export', () => {
  let source: Installation;
  let target: Installation;
  let bytes: Buffer;
  beforeAll(async () => {
    source = await Installation.open();
    target = await Installation.open();
    await source.fill('acme');
    await source.fill('other');
    await target.fill('staying');
    bytes = await source.export('acme');
  }, 120_000);
  afterAll(async () => {
    await source.close();
    await target.close();
  });

  const remove = async (appId: string): Promise<void> => {
    const ids = shardIds({ appId, shards: 64 });
    await target.query('delete from term_stats where app_id = any($1)', [ids]);
    await target.query('update documents set folder_id = null where app_id = any($1)', [ids]);
    await target.query('delete from apps where app_id = any($1)', [ids]);
    await target.store.deletePrefix(appId);
  };

  const expectWhole = async (): Promise<void> => {
    const [{ anew: former, ...before }, { anew, ...after }] = [await source.moved(), await target.moved()];
    expect([former, anew]).toEqual([4, 0]);
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
    expect(after).toEqual(before);
    expect(await target.filesOf('acme')).toEqual(await source.filesOf('acme'));
    expect(await target.query(`select name from service_state where name like 'restore:%'`)).toEqual([]);
  };

  it('decides about every table of tenants', () => {
    const moved = movedTables(source.database.dataSource).map(({ name }) => name);
    const leftOut = Object.entries(TENANT_TABLES).flatMap(([name, { moves }]) =>
      moves.of === 'nothing' ? [name] : [],
    );
    expect([...moved, ...leftOut].sort()).toEqual(Object.keys(TENANT_TABLES).sort());
  });

  it('is restored with every row and file, and leaves another tenant unchanged', async () => {
    const [rows, files] = [await target.rowsOf('staying'), await target.filesOf('staying')];
    await target.restore(bytes);
    await expectWhole();
    expect(await target.rowsOf('staying')).toEqual(rows);
    expect(await target.filesOf('staying')).toEqual(files);
    const [job] = await target.query(`select state, leased_until from ingestion_jobs where app_id = 'acme'`);
    expect(job).toEqual({ state: 'queued', leased_until: null });
    await expect(target.restore(bytes)).rejects.toThrow('The tenant "acme" is not empty');
    await remove('acme');
  });

  it('is restored once however often the restoring process is killed', async () => {
    for (const share of [0.05, 0.2, 0.21, 0.5, 0.8, 0.99]) {
      await expect(target.restore(bytes, {}, Math.floor(bytes.length * share))).rejects.toThrow('killed');
    }
    await target.restore(bytes);
    await expectWhole();
    await remove('acme');
  });

  it('starts again if its tenant was deleted after an interruption', async () => {
    await expect(target.restore(bytes, {}, Math.floor(bytes.length * 0.9))).rejects.toThrow('killed');
    await remove('acme');
    await target.restore(bytes);
    await expectWhole();
    await remove('acme');
  });

  it('is refused with the position of a damaged byte', async () => {
    for (const share of [0, 0.1, 0.4, 0.7, 0.999]) {
      const damaged = Buffer.from(bytes);
      const at = Math.floor(damaged.length * share);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      await expect(target.restore(damaged)).rejects.toThrow(/^The export is damaged at byte \d+: /);
    }
    await expect(target.restore(bytes.subarray(0, -1))).rejects.toThrow('it ends too early');
    await expect(target.restore(Buffer.concat([bytes, Buffer.from('x')]))).rejects.toThrow(
      'it continues after its end',
    );
    await target.restore(bytes);
    await expectWhole();
    await remove('acme');
  });

  it('is refused for another model, another schema and another number of shards', async () => {
    const changed = (from: string, to: string): Buffer =>
      Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1');
    await expect(target.restore(changed('"model":"fake"', '"model":"mine"'))).rejects.toThrow(
      'The vectors of chunks were made by mine (8 dimensions) in the export, and by fake (8 dimensions) in this installation',
    );
    await expect(target.restore(changed('"schema":"', '"schema":"X'))).rejects.toThrow(
      'The export has the schema X',
    );
    await expect(target.restore(bytes, { into: 'staying', shards: 2 })).rejects.toThrow(
      'its number of shards (1) cannot change',
    );
    expect(await target.query(`select 1 from apps where app_id = 'acme'`)).toEqual([]);
  });

  it('is restored into a tenant of several shards with another id, and back into one', async () => {
    await target.restore(bytes, { into: 'wide', shards: 3 });
    const wide = scopeOf('wide', [], 'test', { shards: 3 });
    const documents = await target.query<{ app_id: string; id: string }>(
      `select app_id, external_id as id from documents where app_id = any($1)`,
      [shardIds(wide)],
    );
    expect(documents).toHaveLength(3);
    expect(documents.map(({ app_id }) => app_id)).toEqual(documents.map(({ id }) => shardOf(wide, id).appId));
    expect(await target.query(`select 1 from api_keys where app_id = 'wide'`)).toEqual([]);
    expect(await target.filesOf('wide')).toHaveLength(1);
    const [file] = await target.query<{ key: string }>(
      `select storage_files #>> '{0,key}' as key from documents where storage_files <> '[]' and app_id like 'wide%'`,
    );
    expect(file?.key).toMatch(/^wide\//);
    const back = await target.export('wide');
    await target.restore(back, { into: 'acme', shards: 1 });
    const [before, after] = [await source.rowsOf('acme'), await target.rowsOf('acme')];
    for (const table of [
      'chunks',
      'term_stats',
      'corpus_stats',
      'documents',
      'document_texts',
      'pages',
      'folders',
      'conversations',
      'turns',
    ]) {
      expect(after[table]).toEqual(before[table]);
    }
    await remove('acme');
    await remove('wide');
  });

  it('contains every tenant unless it names one', async () => {
    const empty = await Installation.open();
    await empty.restore(await source.export());
    for (const appId of ['acme', 'other']) {
      expect((await empty.rowsOf(appId))['chunks']).toEqual((await source.rowsOf(appId))['chunks']);
    }
    const [index] = await empty.query(
      `select indexname from pg_indexes where indexname like 'chunks_embedding_8%'`,
    );
    expect(index).toBeDefined();
    await empty.close();
  });
});
