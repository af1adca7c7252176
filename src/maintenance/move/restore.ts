import { Readable } from 'node:stream';
import sql, { raw } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { shardIds } from '../../auth/scope.js';
import { recountStatistics } from '../recount-statistics.js';
import { CHUNKS, PAGES } from '../../chunks/vectors/vector-space.js';
import { withoutDeadline } from '../../database/deadline.js';
import { changeSchema } from '../../database/migrate.js';
import { run } from '../../database/run.js';
import { StartRefused } from '../../errors/index.js';
import type { ObjectStore } from '../../storage/object-store.js';
import type { StoreOwnership } from '../../storage/store-ownership.js';
import { ExportReader, type OpenSection } from './export-reader.js';
import type { MoveReport } from './export.js';
import type { ExportHeader, ExportTotals, MovedTenant } from './format.js';
import { movedTables, schemaOf } from './moved-tables.js';
import { RestoreProgress } from './restore-progress.js';
import { RestoredRows, type RestoredTenant } from './restored-rows.js';
import { ObjectMove } from './stored-objects.js';

export interface RestoreOptions {
  /** Id of the tenant that receives the only tenant of the export; null for the id in the export. */
  readonly into: string | null;
  /** Number of shards for tenants that do not exist yet; null for the number in the export. */
  readonly shards: number | null;
}

/**
 * Tables that may contain rows of the receiving tenant, as in a fresh installation. The other tables must contain none.
 */
const MAY_HAVE_ROWS = ['api_keys', 'idempotency_keys', 'operation_log'];

/** Vector spaces, whose indexes are built after all rows are inserted. */
const SPACES = [CHUNKS, PAGES];

/**
 * Restores an export. One transaction stores a section and its number, so that an interrupted restore can continue
 * after the last stored section. The keys of tenants are restored last.
 */
export class Restore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly store: ObjectStore,
    private readonly ownership: Pick<StoreOwnership, 'access'>,
    private readonly options: RestoreOptions,
  ) {}

  /**
   * @throws DamagedExport; sections before the damage are stored.
   * @throws StartRefused when the installation cannot take the export; nothing has changed then.
   */
  async read(source: AsyncIterable<Buffer>, report: MoveReport): Promise<ExportTotals> {
    const reader = new ExportReader(source);
    const header = await reader.header();
    await this.requireSchema(header);
    const tenants = await this.receiving(header);
    const progress = new RestoreProgress(this.dataSource, header);
    const done = (await progress.stored(tenants)) ?? (await this.begin(header, tenants, progress));
    const rows = new RestoredRows(this.dataSource, new Map(tenants.map((tenant) => [tenant.source, tenant])));
    for await (const section of reader.sections()) {
      const { head } = section;
      if (head.section <= done) await skip(section);
      else {
        await this.storeSection(section, tenants, rows, progress);
        report(head.section, 'file' in head ? head.file.key : head.rows.table);
      }
    }
    await this.finish(header, tenants, progress);
    return reader.totals;
  }

  private async requireSchema({ schema, version }: ExportHeader): Promise<void> {
    const own = await schemaOf(this.dataSource);
    if (schema === own) return;
    throw new StartRefused(
      `The export has the schema ${schema} of Lectern ${version}, and this version has ${own ?? 'none'}: restore with that version and then migrate, or migrate the original and export again`,
    );
  }

  /** Returns the tenants that receive the export. @throws StartRefused if one of them cannot receive the export. */
  private async receiving({ tenants }: ExportHeader): Promise<RestoredTenant[]> {
    const { into } = this.options;
    if (into !== null && tenants.length !== 1) {
      throw new StartRefused(`--into needs an export of one tenant; this one has ${tenants.length}`);
    }
    const found = await run<{ appId: string; shards: number; isGoing: boolean }>(
      this.dataSource,
      sql`select app_id as "appId", shards, removing_since is not null as "isGoing" from apps
          where shards > 0 and app_id = any(${tenants.map(({ appId }) => into ?? appId)}::text[])`,
    );
    return tenants.map(({ appId: source, shards: former }) => {
      const appId = into ?? source;
      const known = found.find((one) => one.appId === appId);
      const shards = this.options.shards ?? known?.shards ?? former;
      if (known?.isGoing === true) throw new StartRefused(`The tenant "${appId}" is being deleted`);
      if (known !== undefined && known.shards !== shards) {
        throw new StartRefused(
          `The tenant "${appId}" exists, and its number of shards (${known.shards}) cannot change`,
        );
      }
      return { source, appId, shards, objects: new ObjectMove(source, appId, this.store.bucket) };
    });
  }

  /**
   * Creates the tenants and prepares the tables.
   * @returns 0, the number of stored sections
   * @throws StartRefused before anything has changed.
   */
  private async begin(
    header: ExportHeader,
    tenants: readonly RestoredTenant[],
    progress: RestoreProgress,
  ): Promise<number> {
    const access = await this.ownership.access();
    if (access.kind !== 'own') {
      throw new StartRefused(access.kind === 'foreign' ? access.reason : 'STORAGE_READ_ONLY is set');
    }
    await changeSchema(this.dataSource, async (manager) => {
      await this.requireEmpty(manager, tenants);
      for (const [at, tenant] of tenants.entries()) await createTenant(manager, header.tenants[at], tenant);
      await this.enterSpaces(manager, header);
      // The revisions of new jobs must be larger than every restored revision.
      await run(
        manager,
        sql`select setval(s.seq, greatest(${header.revision}::bigint, coalesce(pg_sequence_last_value(s.seq), 1)))
            from (select pg_get_serial_sequence('ingestion_jobs', 'revision')::regclass as seq) s`,
      );
      await progress.begin(manager, tenants);
    });
    return 0;
  }

  private async requireEmpty(manager: EntityManager, tenants: readonly RestoredTenant[]): Promise<void> {
    const tables = movedTables(this.dataSource)
      .map(({ name }) => name)
      .filter((name) => !MAY_HAVE_ROWS.includes(name));
    for (const tenant of tenants) {
      for (const table of tables) {
        const rows = await run(
          manager,
          sql`select 1 from ${raw(table)} where app_id = any(${shardIds(tenant)}::text[]) limit 1`,
        );
        if (rows.length > 0) {
          throw new StartRefused(
            `The tenant "${tenant.appId}" is not empty (it has ${table.replaceAll('_', ' ')}): restore into another tenant with --into, or delete this one first`,
          );
        }
      }
    }
  }

  /**
   * If the installation has no vectors, takes over the vector spaces of the export. Drops the indexes of these spaces
   * until all rows are inserted.
   */
  private async enterSpaces(manager: EntityManager, { spaces }: ExportHeader): Promise<void> {
    for (const { name, column, space } of SPACES) {
      const moved = spaces[space];
      if (moved === undefined || moved === null) continue;
      const vectors = await run(
        manager,
        sql`select 1 from ${raw(name)} where ${raw(column)} is not null limit 1`,
      );
      const [stored] = await run<{ model: string; dimensions: number }>(
        manager,
        sql`select value ->> 'model' as model, (value ->> 'dimensions')::integer as dimensions
            from service_state where name = ${space}`,
      );
      if (vectors.length > 0) {
        if (stored?.model === moved.model && stored.dimensions === moved.dimensions) continue;
        throw new StartRefused(
          `The vectors of ${name} were made by ${moved.model} (${moved.dimensions} dimensions) in the export, and by ${stored?.model ?? 'no model'} (${stored?.dimensions ?? 0} dimensions) in this installation: run "lectern reindex" on one of them first`,
        );
      }
      await dropVectorIndexes(manager, name, column);
      await run(
        manager,
        sql`insert into service_state (name, value) values (${space}, ${JSON.stringify(moved)}::jsonb)
            on conflict (name) do update set value = excluded.value`,
      );
    }
  }

  private async storeSection(
    { head, payload }: OpenSection,
    tenants: readonly RestoredTenant[],
    rows: RestoredRows,
    progress: RestoreProgress,
  ): Promise<void> {
    if ('file' in head) {
      const tenant = tenants.find(({ source }) => source === head.file.appId);
      if (tenant === undefined)
        throw new StartRefused('The export has a file of a tenant that it does not list');
      const key = tenant.objects.key(head.file.key);
      await this.keepObject(tenant.appId, key);
      await this.store.put(key, Readable.from(payload(), { objectMode: false }));
    }
    const content = 'rows' in head ? await wholeOf(payload()) : null;
    await this.dataSource.transaction((manager) =>
      withoutDeadline(manager, async () => {
        if ('rows' in head && content !== null) await rows.insert(manager, head.rows, content);
        await progress.advance(manager, head.section);
      }),
    );
  }

  /**
   * Cancels the pending deletion of an object with the same key, which belonged to an earlier document.
   * @throws StartRefused if the deletion has begun, because it would delete the restored object.
   */
  private async keepObject(appId: string, key: string): Promise<void> {
    const [row] = await run<{ isRunning: boolean }>(
      this.dataSource,
      sql`with cancelled as (
            delete from object_removals where app_id = ${appId} and key = ${key} and not removing)
          select removing as "isRunning" from object_removals where app_id = ${appId} and key = ${key}`,
    );
    if (row?.isRunning === true) {
      throw new StartRefused(`The file ${key} is still being deleted: restore again in a minute`);
    }
  }

  /** Counts the statistics and builds the vector indexes. */
  private async finish(
    { spaces }: ExportHeader,
    tenants: readonly RestoredTenant[],
    progress: RestoreProgress,
  ): Promise<void> {
    for (const appId of tenants.flatMap(shardIds)) {
      await this.dataSource.transaction((manager) =>
        withoutDeadline(manager, () => recountStatistics(manager, appId)),
      );
    }
    await changeSchema(this.dataSource, async (manager) => {
      for (const { space, index } of SPACES) {
        const dimensions = spaces[space]?.dimensions;
        const wanted = dimensions === undefined ? null : index(this.dataSource, dimensions);
        if (wanted !== null) await run(manager, wanted.creation());
      }
      await progress.end(manager);
    });
    await run(this.dataSource, raw('analyze documents, chunks'));
  }
}

async function createTenant(
  manager: EntityManager,
  moved: MovedTenant | undefined,
  tenant: RestoredTenant,
): Promise<void> {
  if (moved === undefined) return;
  const [id = '', ...others] = shardIds(tenant);
  const name = tenant.appId === tenant.source ? moved.name : tenant.appId;
  const known = await run<{ appId: string }>(
    manager,
    sql`select app_id as "appId" from apps where app_id = ${id} or name = ${name} order by app_id = ${id} desc`,
  );
  if (known[0]?.appId === id) return;
  if (known[0] !== undefined) {
    throw new StartRefused(
      `Another tenant has the name "${name}": rename it, or restore with --into another id`,
    );
  }
  await run(
    manager,
    sql`insert into apps (app_id, name, shards, created_at, token_version)
        values (${id}, ${name}, ${tenant.shards}, ${moved.createdAt}::timestamptz, ${moved.tokenVersion})`,
  );
  await run(
    manager,
    sql`insert into apps (app_id, name, shards) select s.id, s.id, 0 from unnest(${others}::text[]) as s(id)`,
  );
}

/**
 * Drops the vector indexes of a table. Building an index over all rows takes a tenth of the time that it takes to
 * insert each row into the index.
 */
async function dropVectorIndexes(manager: EntityManager, table: string, column: string): Promise<void> {
  const indexes = await run<{ name: string }>(
    manager,
    sql`select indexname as name from pg_indexes
        where schemaname = current_schema() and tablename = ${table} and indexdef like ${`%hnsw%${column}%`}`,
  );
  for (const { name } of indexes) await run(manager, raw(`drop index "${name}"`));
}

async function skip({ payload }: OpenSection): Promise<void> {
  for await (const _ of payload()) continue;
}

async function wholeOf(payload: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of payload) parts.push(part);
  return Buffer.concat(parts);
}
