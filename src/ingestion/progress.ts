import type { Progress } from '../corpus/document-row.js';

const STEPS = ['queued', 'parsing', 'embedding', 'storing'] as const;
export type Step = (typeof STEPS)[number];

/** Returns the progress of a document; `share` (0 to 1) is the completed share of the step. */
export function progressAt(step: Step, share: number): Progress {
  const index = STEPS.indexOf(step);
  return {
    current_step: index,
    total_steps: STEPS.length - 1,
    step_name: step,
    percentage: Math.round(((Math.max(0, index - 1) + (index === 0 ? 0 : share)) / (STEPS.length - 1)) * 100),
  };
}

/** Minimum interval between two progress writes. */
const WRITE_EVERY_MS = 500;

/**
 * Throttles the progress writes of a step. Makes one write at a time and at most one per interval, and never writes a
 * lower share than before.
 */
export class ProgressWriter {
  private highest = 0;
  private nextAt = 0;
  private writing: Promise<void> = Promise.resolve();

  /** @param write writes a share, 0 to 1 */
  constructor(private readonly write: (share: number) => Promise<void>) {}

  report(share: number): void {
    const now = performance.now();
    if (share <= this.highest || now < this.nextAt) return;
    this.highest = share;
    this.nextAt = now + WRITE_EVERY_MS;
    this.writing = this.writing.then(() => this.write(share));
    // `end` throws the error again. Until then, the error must not count as an unhandled rejection.
    this.writing.catch(() => undefined);
  }

  /** Waits for the last write. @throws the error of a failed write. */
  async end(): Promise<void> {
    await this.writing;
  }
}
