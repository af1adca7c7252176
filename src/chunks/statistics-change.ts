import { run, type Queryable } from '../database/run.js';
import { corpusStatement, dropUnusedTermsStatement, termsStatement } from './write-statements.js';

/** What some chunks mean for the statistics: a row for each term, and one without a term for the chunks themselves. */
export interface CountRow {
  readonly term: string | null;
  /** Chunks that hold the term; of the row without a term, all chunks. */
  readonly chunk_count: number;
  readonly total_length: number;
}

/** What a write changes in the corpus statistics: removals and additions cancel out before they are written. */
export class StatisticsChange {
  private readonly terms = new Map<string, number>();
  private chunkCount = 0;
  private totalLength = 0;

  add(rows: readonly CountRow[]): void {
    this.count(rows, 1);
  }

  remove(rows: readonly CountRow[]): void {
    this.count(rows, -1);
  }

  private count(rows: readonly CountRow[], sign: 1 | -1): void {
    for (const { term, chunk_count, total_length } of rows) {
      if (term === null) {
        this.chunkCount += sign * chunk_count;
        this.totalLength += sign * total_length;
      } else {
        this.terms.set(term, (this.terms.get(term) ?? 0) + sign * chunk_count);
      }
    }
  }

  async write(manager: Queryable, appId: string): Promise<void> {
    const changed = [...this.terms].filter(([, change]) => change !== 0);
    await run(manager, corpusStatement(appId, this.chunkCount, this.totalLength));
    if (changed.length === 0) return;
    await run(
      manager,
      termsStatement(
        appId,
        changed.map(([term]) => term),
        changed.map(([, change]) => change),
      ),
    );
    const fewer = changed.filter(([, change]) => change < 0).map(([term]) => term);
    if (fewer.length > 0) await run(manager, dropUnusedTermsStatement(appId, fewer));
  }
}
