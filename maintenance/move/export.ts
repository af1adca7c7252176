import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import sql, { raw, type Sql } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { shardIds } from '../../src/auth/scope.js';
import { CHUNKS, PAGES, type Space } from '../../src/chunks/vectors/vector-space.js';
import { VERSION } from '../../src/config/package-root.js';
import { withoutDeadline } from '../../src/database/deadline.js';
import { run } from '../../src/database/run.js';
import { StartRefused } from '../../src/errors/index.js';
import type { ObjectStore } from '../../src/storage/object-store.js';
import { ExportWriter } from './export-writer.js';
import type { ExportHeader, ExportTotals, MovedTenant } from './format.js';
import { isVisible, movedTables, schemaOf, type MovedTable } from './moved-tables.js';
import { referencedObjects } from './stored-objects.js';

/** Receives the progress: the number of the last section, and its subject. */
export type MoveReport = (section: number, subject: string) => void;

/** Target size of a section with rows, in bytes; a larger row has its own section. */
const SECTION_BYTES = 4 * 1_024 * 1_024;

/** Maximum number of rows that are fetched at once. All fetched rows are in memory together. */
const MAX_ROWS = 500;

/** Number of object keys that are fetched at once. */
const OBJECT_BATCH = 500;

/**
 * Session settings for values in text form. They make the text form independent of the server's settings, and keep
 * every digit of numbers.
 */
const TEXT_FORM = {
  timezone: 'UTC',
  datestyle: 'ISO',
  bytea_output: 'hex',
  extra_float_digits: '3',
  // The transaction must not time out while a slow reader delays the export.
  idle_in_transaction_session_timeout: '0',
};

/** Columns whose exported value differs from the stored value: a running job is exported as queued. */
const CHANGED_VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ingestion_jobs: {
    state: `case when t.state = 'running' then 'queued' else t.state end`,
    leased_until: 'null',
    leased_by: 'null',
  },
};

/** Sort order of the tables whose rows get new numbers in a restore. The new numbers have the same order. */
const ORDER: Readonly<Record<string, string>> = {
  ingestion_jobs: 'order by t.revision',
  operation_log: 'order by t.entry_id',
};

/** Writes one tenant or all tenants to a stream: one snapshot of the database, and the files that its rows refer to. */
export class Export {
  constructor(
    private readonly dataSource: DataSource,
    private readonly store: ObjectStore,
  ) {}

  /** @param appId id of the tenant to write; null writes all tenants @throws StartRefused for an unknown tenant. */
  async write(out: Writable, appId: string | null, report: MoveReport): Promise<ExportTotals> {
    return this.dataSource.transaction('REPEATABLE READ', (manager) =>
      withoutDeadline(manager, async () => {
        for (const [name, value] of Object.entries(TEXT_FORM)) {
          await run(manager, sql`select set_config(${name}, ${value}, true)`);
        }
        const header = await this.header(manager, appId);
        const writer = new ExportWriter(out);
        const selects = selection(appId === null ? null : (header.tenants[0] ?? null));
        await writer.begin(header);
        // Writes files before rows: if a restore is interrupted, a file without its row is harmless, but a row without
        // its file is not.
        await this.writeFiles(manager, writer, selects, report);
        for (const table of movedTables(this.dataSource)) {
          await this.writeRows(manager, writer, table, selects, report);
        }
        return writer.end();
      }),
    );
  }

  private async header(manager: EntityManager, appId: string | null): Promise<ExportHeader> {
    const tenants = await run<MovedTenant>(
      manager,
      sql`select app_id as "appId", name, shards, created_at::text as "createdAt", token_version as "tokenVersion"
          from apps where shards > 0 and removing_since is null and (${appId}::text is null or app_id = ${appId})
          order by created_at, app_id`,
    );
    if (appId !== null && tenants.length === 0) throw new StartRefused(`There is no tenant "${appId}"`);
    const [state] = await run<{ spaces: Record<string, Space>; revision: string | null }>(
      manager,
      sql`select pg_sequence_last_value(pg_get_serial_sequence('ingestion_jobs', 'revision')::regclass)::text as revision,
            (select coalesce(jsonb_object_agg(name, value), '{}') from service_state
             where name = any(${[CHUNKS.space, PAGES.space]}::text[])) as spaces`,
    );
    return {
      id: randomUUID(),
      version: VERSION,
      schema: (await schemaOf(manager)) ?? '',
      createdAt: new Date().toISOString(),
      tenants,
      spaces: state?.spaces ?? {},
      revision: state?.revision ?? '0',
    };
  }

  private async writeFiles(
    manager: EntityManager,
    writer: ExportWriter,
    selects: Selects,
    report: MoveReport,
  ): Promise<void> {
    const objects = fetched<{ app_id: string; key: string }>(
      manager,
      referencedObjects((alias) => selects(alias, false)),
      () => OBJECT_BATCH,
    );
    for await (const batch of objects) {
      for (const { app_id: appId, key } of batch) {
        const size = await this.store.size(key);
        if (size === undefined) writer.miss();
        else {
          const content = await this.store.get(key);
          await writer.section({ file: { appId, key } }, size, content as AsyncIterable<Buffer>);
        }
        report(writer.sections, key);
      }
    }
  }

  private async writeRows(
    manager: EntityManager,
    writer: ExportWriter,
    { name, columns, documentColumn }: MovedTable,
    selects: Selects,
    report: MoveReport,
  ): Promise<void> {
    const values = columns.map(
      (column) => `(${CHANGED_VALUES[name]?.[column] ?? `t."${column}"`})::text as "${column}"`,
    );
    const statement = sql`select ${raw(values.join(', '))} from ${raw(name)} t
      where ${selects('t', documentColumn === null)} and ${isVisible(name, 't')} ${raw(ORDER[name] ?? '')}`;
    let rowBytes = SECTION_BYTES; // unknown at first, so the first batch has one row
    const batches = fetched<Record<string, string | null>>(manager, statement, () =>
      Math.max(1, Math.min(MAX_ROWS, Math.floor(SECTION_BYTES / rowBytes))),
    );
    for await (const batch of batches) {
      const lines = batch.map((row) =>
        Buffer.from(`${JSON.stringify(columns.map((column) => row[column] ?? null))}\n`),
      );
      const bytes = lines.reduce((sum, { length }) => sum + length, 0);
      rowBytes = Math.max(1, bytes / lines.length);
      await writer.section({ rows: { table: name, columns, count: lines.length } }, bytes, lines);
      report(writer.sections, name);
    }
  }
}

/**
 * Returns the predicate for the exported rows of a table under an alias.
 * @param ofTenant whether the rows belong to the whole tenant; if so, only the rows of its first shard are exported,
 * because other shards have copies
 */
type Selects = (alias: string, ofTenant: boolean) => Sql;

/** @param tenant null selects all tenants that are not being removed */
function selection(tenant: MovedTenant | null): Selects {
  return (alias, ofTenant) => {
    const id = raw(`${alias}.app_id`);
    if (tenant !== null) {
      return sql`${id} = any(${ofTenant ? [tenant.appId] : shardIds(tenant)}::text[])`;
    }
    const isFirst = ofTenant ? sql`strpos(${id}, chr(31)) = 0 and ` : raw('');
    return sql`${isFirst}split_part(${id}, chr(31), 1) in (
      select a.app_id from apps a where a.shards > 0 and a.removing_since is null)`;
  };
}

/** Yields the rows of a statement in batches through a cursor. @param size returns the size of the next batch */
async function* fetched<Row>(
  manager: EntityManager,
  statement: Sql,
  size: () => number,
): AsyncGenerator<Row[], void> {
  await run(manager, sql`declare exported no scroll cursor for ${statement}`);
  for (;;) {
    const rows = await run<Row>(manager, raw(`fetch ${size()} from exported`));
    if (rows.length === 0) break;
    yield rows;
  }
  await run(manager, raw('close exported'));
}
