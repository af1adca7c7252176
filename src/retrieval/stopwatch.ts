/** Measures the steps of one request, in milliseconds with a precision of a microsecond. */
export class Stopwatch {
  private readonly steps: Record<string, number> = {};
  private readonly started = performance.now();

  /** Times one step; a step that runs twice adds up. */
  async time<T>(step: string, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.steps[step] = (this.steps[step] ?? 0) + (performance.now() - started);
    }
  }

  /** Milliseconds of every step that ran, and `total` since the watch was made. */
  timings(): Record<string, number> {
    const all = { ...this.steps, total: performance.now() - this.started };
    return Object.fromEntries(Object.entries(all).map(([step, ms]) => [step, Math.round(ms * 1000) / 1000]));
  }
}
