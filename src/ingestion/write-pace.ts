import pLimit, { type LimitFunction } from 'p-limit';

/** Bounds of a pace. */
export interface PaceBounds {
  /** Rows of the first batch, and of the largest one. */
  readonly first: number;
  readonly most: number;
  /** Time that a batch should take; Infinity: whatever it takes. */
  readonly targetMs: number;
  /** Batches written at once. */
  readonly atOnce: number;
}

/** How many rows are written by one transaction: as many as fit the time that others may be kept waiting. */
export class WritePace {
  private readonly limit: LimitFunction;
  private size: number;

  constructor(private readonly bounds: PaceBounds) {
    this.limit = pLimit(bounds.atOnce);
    this.size = bounds.first;
  }

  /**
   * Writes rows batch by batch, in order.
   * @param write one batch, and resolves to the milliseconds that it took without waiting for its turn
   */
  async write<Row>(rows: readonly Row[], write: (batch: readonly Row[]) => Promise<number>): Promise<void> {
    for (let start = 0; start < rows.length;) {
      start += await this.limit(async () => {
        const batch = rows.slice(start, start + this.size);
        this.took(batch.length, await write(batch));
        return batch.length;
      });
    }
  }

  /** A batch grows to twice the one before at most: the first rows of an empty table tell little. */
  private took(count: number, ms: number): void {
    const { most, targetMs } = this.bounds;
    const fitting = Math.floor((count * targetMs) / Math.max(ms, 1));
    this.size = Math.max(1, Math.min(fitting, most, 2 * this.size));
  }
}
