import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { shardIds, shardsOf } from '../../src/auth/scope.js';
import { LAST_MIGRATION } from '../../src/database/migrations/index.js';
import { TENANT_TABLES } from '../../src/database/tenant-tables.js';
import { Export } from '../../maintenance/move/export.js';
import type { RestoreOptions } from '../../maintenance/move/receiving-tenants.js';
import { planRestore, type RestorePlan } from '../../maintenance/move/restore-plan.js';
import { Restore } from '../../maintenance/move/restore.js';
import { LocalObjectStore } from '../../src/storage/local/local-object-store.js';
import { openTestDatabase, type TestDatabase } from './database.js';
import { fillTables } from './filled-tables.js';
import { StoredDocuments } from './stored-documents.js';

const FILE = Buffer.from('the bytes of a file\n'.repeat(5_000));

/** An installation for specs of exports and restores: a database and a store. */
export class MoveInstallation {
  private constructor(
    readonly database: TestDatabase,
    private readonly folder: string,
    readonly store: LocalObjectStore,
    readonly documents: StoredDocuments,
  ) {}

  static async open(): Promise<MoveInstallation> {
    const database = await openTestDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'lectern-move-'));
    const documents = new StoredDocuments(database.dataSource, 8);
    await database.dataSource.query(
      `insert into service_state values ('embedding_space', '{"model": "fake", "dimensions": 8}')`,
    );
    await documents.makeVectorIndex();
    return new MoveInstallation(database, folder, new LocalObjectStore(folder), documents);
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
      replace: false,
      ...options,
    });
    await restore.read(source(), () => undefined);
  }

  /** Returns what a restore would write. */
  async plan(bytes: Buffer, options: Partial<RestoreOptions> = {}): Promise<RestorePlan> {
    return planRestore(
      Readable.from([bytes]),
      { dataSource: this.database.dataSource, schema: LAST_MIGRATION, bucket: this.store.bucket },
      { into: null, shards: null, replace: false, ...options },
      () => undefined,
    );
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
      audit_seals = [],
      browser_sessions = [],
      deleted_items = [],
      detached_files = [],
      device_links = [],
      document_events = [],
      ingestion_turns = [],
      provider_accounts = [],
      quota_counts = [],
      rate_limits = [],
      object_removals = [],
      replaced_rows = [],
      webhook_deliveries = [],
      webhooks = [],
      ...rows
    } = await this.rowsOf('acme');
    return {
      ...rows,
      anew: [
        audit_log,
        audit_seals,
        browser_sessions,
        deleted_items,
        detached_files,
        device_links,
        document_events,
        ingestion_turns,
        provider_accounts,
        quota_counts,
        rate_limits,
        object_removals,
        replaced_rows,
        webhook_deliveries,
        webhooks,
      ].flat().length,
    } as never;
  }

  /** Removes a tenant with its files. */
  async remove(appId: string): Promise<void> {
    const ids = shardIds({ appId, shards: 64 });
    await this.query('delete from term_stats where app_id = any($1)', [ids]);
    await this.query('update documents set folder_id = null where app_id = any($1)', [ids]);
    await this.query('delete from apps where app_id = any($1)', [ids]);
    await this.store.deletePrefix(appId);
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
