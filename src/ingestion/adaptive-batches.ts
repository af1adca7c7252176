import pLimit, { type LimitFunction } from 'p-limit';

export interface BatchBounds {
  /** Rows of the first batch, and of the largest one. */
  readonly initial: number;
  readonly max: number;
  /** Milliseconds that a batch should take; Infinity: whatever it takes. */
  readonly targetMs: number;
  /** Batches written at once. */
  readonly concurrency: number;
}

/**
 * How many rows one transaction writes: as many as fit the time that others may be kept waiting. Writers take turns batch
 * by batch.
 */
export class AdaptiveBatches {
  private readonly limit: LimitFunction;
  private size: number;

  constructor(private readonly bounds: BatchBounds) {
    this.limit = pLimit(bounds.concurrency);
    this.size = bounds.initial;
  }

  /**
   * Writes rows batch by batch, in order.
   * @param write one batch, and resolves to the milliseconds that it took without waiting for its turn
   */
  async write<Row>(rows: readonly Row[], write: (batch: readonly Row[]) => Promise<number>): Promise<void> {
    for (let start = 0; start < rows.length;) {
      start += await this.limit(async () => {
        const batch = rows.slice(start, start + this.size);
        this.adapt(batch.length, await write(batch));
        return batch.length;
      });
    }
  }

  /** A batch grows to twice the one before at most: the first rows of an empty table tell little. */
  private adapt(count: number, ms: number): void {
    const { max, targetMs } = this.bounds;
    const fitting = Math.floor((count * targetMs) / Math.max(ms, 1));
    this.size = Math.max(1, Math.min(fitting, max, 2 * this.size));
  }
}
