import { run, type Queryable } from '../database/run.js';
import { corpusStatement, dropUnusedTermsStatement, termsStatement } from './write-statements.js';

/** Statistics of chunks: one row per key of the inverted index, and a row without a key for the number of chunks. */
export interface CountRow {
  /** Key of the inverted index. */
  readonly key: string | null;
  /** Document frequency of the key; in the row without a key, the number of chunks. */
  readonly chunk_count: number;
}

/** Accumulates changes of the corpus statistics, so that removals and additions cancel out before the write. */
export class StatisticsChange {
  private readonly counts = new Map<string | null, number>();

  add(rows: readonly CountRow[]): void {
    this.count(rows, 1);
  }

  remove(rows: readonly CountRow[]): void {
    this.count(rows, -1);
  }

  private count(rows: readonly CountRow[], sign: 1 | -1): void {
    for (const { key, chunk_count } of rows) {
      this.counts.set(key, (this.counts.get(key) ?? 0) + sign * chunk_count);
    }
  }

  async write(manager: Queryable, appId: string): Promise<void> {
    const changes = Array.from(this.counts, ([key, change]) => ({ key, change })).flatMap(
      ({ key, change }) => (key === null || change === 0 ? [] : [{ key, change }]),
    );
    await run(manager, corpusStatement(appId, this.counts.get(null) ?? 0));
    if (changes.length === 0) return;
    await run(
      manager,
      termsStatement(
        appId,
        changes.map(({ key }) => key),
        changes.map(({ change }) => change),
      ),
    );
    const fewer = changes.filter(({ change }) => change < 0).map(({ key }) => key);
    if (fewer.length > 0) await run(manager, dropUnusedTermsStatement(appId, fewer));
  }
}
