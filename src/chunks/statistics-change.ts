import { run, type Queryable } from '../database/run.js';
import { corpusStatement, dropUnusedTermsStatement, termsStatement } from './write-statements.js';

/** What a write changes in the corpus statistics: removals and additions cancel out before they are written. */
export class StatisticsChange {
  private readonly terms = new Map<string, number>();
  private chunkCount = 0;
  private totalLength = 0;

  add(terms: Iterable<string>, length: number): void {
    this.count(terms, length, 1);
  }

  remove(terms: Iterable<string>, length: number): void {
    this.count(terms, length, -1);
  }

  private count(terms: Iterable<string>, length: number, sign: 1 | -1): void {
    this.chunkCount += sign;
    this.totalLength += sign * length;
    for (const term of terms) this.terms.set(term, (this.terms.get(term) ?? 0) + sign);
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
