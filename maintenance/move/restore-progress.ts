import sql from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { run, type Queryable } from '../../src/database/run.js';
import { StartRefused } from '../../src/errors/index.js';
import type { ExportHeader } from './format.js';
import type { RestoredTenant } from './receiving-tenants.js';

/** Name under which `service_state` stores the progress of the restore of an export. */
export function restoreName(exportId: string): string {
  return `restore:${exportId}`;
}

interface State {
  /** Number of sections that are stored. */
  readonly section: number;
  /** Creation times of the receiving tenants, by id. */
  readonly tenants: Readonly<Record<string, string>>;
}

/**
 * Stores the number of committed sections of a restore in `service_state`. An interrupted restore continues after these
 * sections.
 */
export class RestoreProgress {
  private readonly name: string;

  constructor(
    private readonly dataSource: DataSource,
    { id }: ExportHeader,
  ) {
    this.name = restoreName(id);
  }

  /**
   * Returns the number of stored sections. Returns null if nothing is stored, or if the tenants of the restore were
   * deleted meanwhile.
   */
  async stored(tenants: readonly RestoredTenant[]): Promise<number | null> {
    const state = await this.read(this.dataSource);
    if (state === null) return null;
    const isSame =
      JSON.stringify(state.tenants) === JSON.stringify(await createdAt(this.dataSource, tenants));
    return isSame ? state.section : null;
  }

  async begin(manager: EntityManager, tenants: readonly RestoredTenant[]): Promise<void> {
    const state: State = { section: 0, tenants: await createdAt(manager, tenants) };
    await run(
      manager,
      sql`insert into service_state (name, value) values (${this.name}, ${JSON.stringify(state)}::jsonb)
          on conflict (name) do update set value = excluded.value`,
    );
  }

  /**
   * Counts a section in the transaction that stores it.
   * @throws StartRefused when another process restores the same export.
   */
  async advance(manager: EntityManager, section: number): Promise<void> {
    const rows = await run(
      manager,
      sql`update service_state set value = jsonb_set(value, '{section}', to_jsonb(${section}::integer))
          where name = ${this.name} and (value ->> 'section')::integer = ${section - 1} returning name`,
    );
    if (rows.length === 0) throw new StartRefused('Another process is restoring the same export');
  }

  async end(manager: Queryable): Promise<void> {
    await run(manager, sql`delete from service_state where name = ${this.name}`);
  }

  private async read(database: Queryable): Promise<State | null> {
    const [row] = await run<{ value: State }>(
      database,
      sql`select value from service_state where name = ${this.name}`,
    );
    return row?.value ?? null;
  }
}

async function createdAt(
  database: Queryable,
  tenants: readonly RestoredTenant[],
): Promise<Record<string, string>> {
  const rows = await run<{ id: string; at: string }>(
    database,
    sql`select app_id as id, extract(epoch from created_at)::text as at from apps
        where app_id = any(${tenants.map(({ appId }) => appId)}::text[]) order by app_id collate "C"`,
  );
  return Object.fromEntries(rows.map(({ id, at }) => [id, at]));
}
