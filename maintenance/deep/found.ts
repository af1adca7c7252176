import sql, { type Sql } from 'sql-template-tag';
import { run, type Queryable } from '../../src/database/run.js';

/** Violations of an invariant: how many were found, and the first few of them. */
export interface Found<Damage> {
  readonly count: number;
  readonly damages: readonly Damage[];
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
