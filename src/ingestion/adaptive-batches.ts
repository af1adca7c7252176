import pLimit, { type LimitFunction } from 'p-limit';

export interface BatchBounds {
  /** Rows of the first and of the largest batch. */
  readonly initial: number;
  readonly max: number;
  /** Target duration of a batch in milliseconds; Infinity: no target. */
  readonly targetMs: number;
  /** Maximum number of concurrent batches. */
  readonly concurrency: number;
}

/**
 * Writes rows in transactions whose size adapts to a target duration, so that other statements wait only briefly.
 * Concurrent writers alternate batch by batch.
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
   * @param write writes one batch and returns its duration in milliseconds without queueing time
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

  /** At most doubles the batch size: the first rows of an empty table are not representative. */
  private adapt(count: number, ms: number): void {
    const { max, targetMs } = this.bounds;
    const fitting = Math.floor((count * targetMs) / Math.max(ms, 1));
    this.size = Math.max(1, Math.min(fitting, max, 2 * this.size));
  }
}
