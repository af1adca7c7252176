import sql, { type Sql } from 'sql-template-tag';
import { run, type Queryable } from '../../src/database/run.js';

export const EXAMPLES = 5;

/** Number of violations that one step of a repair finds and repairs. */
const BATCH = 200;

/** Violations of an invariant: how many were found, and the first few of them. */
export interface Found<Damage> {
  readonly count: number;
  readonly damages: readonly Damage[];
}

interface Definition<Damage> {
  /** Unique name, for people and programs. */
  readonly name: string;
  /** The invariant, as a sentence without a full stop. */
  readonly rule: string;
  /** What the repair does or, without a repair, what the operator has to do. An imperative without a full stop. */
  readonly remedy: string;
  /**
   * Finds violations. May run while the service is running.
   * @param appId tenant shard; a check of the whole installation ignores it
   * @param limit maximum number of returned violations
   */
  find(appId: string, limit: number): Promise<Found<Damage>>;
  /** Describes a violation in one line. */
  describe(damage: Damage): string;
  /**
   * Repairs violations. Leaves a violation that it cannot repair. Absent if only the operator can repair violations of
   * this check.
   */
  repair?(appId: string, damages: readonly Damage[]): Promise<void>;
}

/** An invariant of the stored data. */
export interface Check extends Pick<Definition<never>, 'name' | 'rule' | 'remedy'> {
  readonly isRepairable: boolean;
  look(appId: string): Promise<{ readonly count: number; readonly examples: readonly string[] }>;
  repair(appId: string): Promise<void>;
}

export function check<Damage>({ name, rule, remedy, ...definition }: Definition<Damage>): Check {
  return {
    name,
    rule,
    remedy,
    isRepairable: definition.repair !== undefined,
    async look(appId) {
      const { count, damages } = await definition.find(appId, EXAMPLES);
      return { count, examples: damages.slice(0, EXAMPLES).map((damage) => definition.describe(damage)) };
    },
    async repair(appId) {
      for (let before = Infinity; ;) {
        const { count, damages } = await definition.find(appId, BATCH);
        if (count === 0 || count >= before) return;
        await definition.repair?.(appId, damages);
        before = count;
      }
    },
  };
}

/** Returns the number of rows of a statement, and the first few rows. */
export async function foundBy<Damage>(
  database: Queryable,
  statement: Sql,
  limit: number,
): Promise<Found<Damage>> {
  const rows = await run<Damage & { readonly total: number }>(
    database,
    sql`select x.*, (count(*) over ())::integer as total from (${statement}) x limit ${limit}`,
  );
  return { count: rows[0]?.total ?? 0, damages: rows };
}

/** Collects the violations that a check finds one after the other. */
export class Collected<Damage> implements Found<Damage> {
  count = 0;
  readonly damages: Damage[] = [];

  constructor(private readonly limit: number) {}

  add(damage: Damage): void {
    this.count += 1;
    if (this.damages.length < this.limit) this.damages.push(damage);
  }
}
