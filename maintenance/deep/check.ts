import type { Sql } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import type { Settings } from '../../src/config/settings.js';
import { run } from '../../src/database/run.js';
import type { ObjectTombstones } from '../../src/ingestion/object-tombstones.js';
import type { ObjectStore } from '../../src/storage/object-store.js';
import { type Found, foundBy } from './found.js';
import type { Rebuild } from './rebuild.js';

export const EXAMPLES = 5;

/** Number of violations that one step of a repair finds and repairs. */
const BATCH = 200;

/** A tenant of the installation, with the number of its shards. */
export interface CheckedTenant {
  readonly appId: string;
  readonly shards: number;
}

/** What checks and repairs work with. */
export interface Tools {
  readonly dataSource: DataSource;
  readonly store: ObjectStore;
  readonly settings: Settings;
  readonly rebuild: Rebuild;
  readonly tombstones: ObjectTombstones;
  /** Tenants to check; omits tenants that are being removed. */
  readonly tenants: () => Promise<readonly CheckedTenant[]>;
}

/**
 * How violations are found: by a statement that selects them, or by code. May run while the service is running.
 * `appId` is a tenant shard; a check of the whole installation ignores it.
 */
type Finding<Damage> =
  | { statement(appId: string): Sql }
  | { find(tools: Tools, appId: string, limit: number): Promise<Found<Damage>> };

/**
 * How violations are repaired: by a statement over their ids, or by code, which may leave what it cannot repair. Without
 * either, only the operator can repair violations of this check.
 */
type Repair<Damage> =
  | (Damage extends { readonly id: string }
      ? { correction(appId: string, ids: readonly string[]): Sql }
      : never)
  | { repair?(tools: Tools, appId: string, damages: readonly Damage[]): Promise<void> };

/** A row of the table of checks: an invariant, how its violations are found and shown, and how they are repaired. */
type Row<Damage> = Finding<Damage> &
  Repair<Damage> & {
    /** Unique name, for people and programs. */
    readonly name: string;
    /** The invariant, as a sentence without a full stop. */
    readonly rule: string;
    /** What the repair does or, without a repair, what the operator has to do. An imperative without a full stop. */
    readonly remedy: string;
    /** Describes a violation in one line. */
    describe(damage: Damage): string;
    /** Whether a violation is no damage. */
    readonly isNote?: boolean;
  };

/** An invariant of the stored data. */
export interface Check {
  readonly name: string;
  readonly rule: string;
  readonly remedy: string;
  readonly isRepairable: boolean;
  readonly isNote: boolean;
  look(
    tools: Tools,
    appId: string,
  ): Promise<{ readonly count: number; readonly examples: readonly string[] }>;
  repair(tools: Tools, appId: string): Promise<void>;
}

export function check<Damage>(row: Row<Damage>): Check {
  const { name, rule, remedy } = row;
  const find = (tools: Tools, appId: string, limit: number): Promise<Found<Damage>> =>
    'find' in row ? row.find(tools, appId, limit) : foundBy(tools.dataSource, row.statement(appId), limit);
  const mend = repairOf(row);
  return {
    name,
    rule,
    remedy,
    isRepairable: mend !== undefined,
    isNote: row.isNote ?? false,
    async look(tools, appId) {
      const { count, damages } = await find(tools, appId, EXAMPLES);
      return { count, examples: damages.slice(0, EXAMPLES).map((damage) => row.describe(damage)) };
    },
    async repair(tools, appId) {
      for (let before = Infinity; ;) {
        const { count, damages } = await find(tools, appId, BATCH);
        if (count === 0 || count >= before) return;
        await mend?.(tools, appId, damages);
        before = count;
      }
    },
  };
}

function repairOf<Damage>(
  row: Row<Damage>,
): ((tools: Tools, appId: string, damages: readonly Damage[]) => Promise<void>) | undefined {
  if (!('correction' in row)) return row.repair?.bind(row);
  return async ({ dataSource }, appId, damages) => {
    await run(dataSource, row.correction(appId, idsOf(damages as readonly { readonly id: string }[])));
  };
}

export function idsOf(damages: readonly { readonly id: string }[]): string[] {
  return damages.map(({ id }) => id);
}
