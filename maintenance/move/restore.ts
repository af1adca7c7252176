import { Readable } from 'node:stream';
import sql, { raw } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { shardIds } from '../../src/auth/scope.js';
import { recountStatistics } from '../recount-statistics.js';
import { CHUNKS, PAGES } from '../../src/chunks/vectors/vector-space.js';
import { withoutDeadline } from '../../src/database/deadline.js';
import { changeSchema } from '../../src/database/migrate.js';
import { run } from '../../src/database/run.js';
import { StartRefused } from '../../src/errors/index.js';
import type { ObjectStore } from '../../src/storage/object-store.js';
import type { StoreOwnership } from '../../src/storage/store-ownership.js';
import { ExportReader, payloadOf, skip, type OpenSection } from './export-reader.js';
import type { MoveReport } from './export.js';
import type { ExportHeader, ExportTotals } from './format.js';
import { movedTables, schemaOf } from './moved-tables.js';
import {
  createTenant,
  receivingTenants,
  requireEmpty,
  requireSchema,
  type RestoredTenant,
  type RestoreOptions,
} from './receiving-tenants.js';
import { emptyTenants, removeReplacedFiles } from './replaced-tenants.js';
import { tenantOfFile } from './restore-plan.js';
import { RestoreProgress } from './restore-progress.js';
import { RestoredRows } from './restored-rows.js';

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
   * @throws DamagedExport, RefusedExport; sections before the damage are stored.
   * @throws StartRefused when the installation cannot take the export; nothing has changed then.
   */
  async read(source: AsyncIterable<Buffer>, report: MoveReport): Promise<ExportTotals> {
    const reader = new ExportReader(source);
    const header = await reader.header();
    requireSchema(header, await schemaOf(this.dataSource));
    const tenants = await receivingTenants(this.dataSource, header, this.options, this.store.bucket);
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
      if (this.options.replace) await emptyTenants(manager, this.dataSource, header, tenants);
      else await requireEmpty(manager, movedTables(this.dataSource), tenants);
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
    section: OpenSection,
    tenants: readonly RestoredTenant[],
    rows: RestoredRows,
    progress: RestoreProgress,
  ): Promise<void> {
    const { head } = section;
    if ('file' in head) {
      const tenant = tenantOfFile(tenants, head.file.appId);
      const key = tenant.objects.key(head.file.key);
      await this.keepObject(tenant.appId, key);
      await this.store.put(key, Readable.from(section.payload(), { objectMode: false }));
    }
    const content = 'rows' in head ? await payloadOf(section) : null;
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
    header: ExportHeader,
    tenants: readonly RestoredTenant[],
    progress: RestoreProgress,
  ): Promise<void> {
    const { spaces } = header;
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
      await removeReplacedFiles(manager, header);
      await progress.end(manager);
    });
    await run(this.dataSource, raw('analyze documents, chunks'));
  }
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
