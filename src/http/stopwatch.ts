/** Milliseconds of the named steps of one request, a step that runs twice counted together. */
export class Stopwatch {
  private readonly begun = performance.now();
  private readonly steps = new Map<string, number>();

  /** Runs `step` and counts the time it takes, failures included. */
  async time<T>(name: string, step: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await step();
    } finally {
      this.add(name, performance.now() - start);
    }
  }

  add(name: string, milliseconds: number): void {
    this.steps.set(name, (this.steps.get(name) ?? 0) + milliseconds);
  }

  /** Every step and `total` so far, in milliseconds to a tenth. */
  timings(): Record<string, number> {
    const all = [...this.steps, ['total', performance.now() - this.begun] as const];
    return Object.fromEntries(all.map(([name, milliseconds]) => [name, Math.round(milliseconds * 10) / 10]));
  }
}
