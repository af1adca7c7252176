import type { Progress } from '../corpus/document-row.js';

const STEPS = ['queued', 'parsing', 'embedding', 'storing'] as const;
export type Step = (typeof STEPS)[number];

/** Where a document stands; `share` (0 to 1) is what the step itself has done. */
export function progressAt(step: Step, share: number): Progress {
  const index = STEPS.indexOf(step);
  return {
    current_step: index,
    total_steps: STEPS.length - 1,
    step_name: step,
    percentage: Math.round(((Math.max(0, index - 1) + (index === 0 ? 0 : share)) / (STEPS.length - 1)) * 100),
  };
}

/** Time between two writes of progress. */
const WRITE_EVERY_MS = 500;

/** Writes the progress of a step that reports more often than anybody looks, one write at a time and never backwards. */
export class ProgressWriter {
  private most = 0;
  private nextAt = 0;
  private writing: Promise<void> = Promise.resolve();

  /** @param write of a share, 0 to 1 */
  constructor(private readonly write: (share: number) => Promise<void>) {}

  report(share: number): void {
    const now = performance.now();
    if (share <= this.most || now < this.nextAt) return;
    this.most = share;
    this.nextAt = now + WRITE_EVERY_MS;
    this.writing = this.writing.then(() => this.write(share));
    // Who waits for the end learns of it; until then it must not count as unhandled.
    this.writing.catch(() => undefined);
  }

  /** Resolves when everything is written. @throws what a write failed with. */
  async end(): Promise<void> {
    await this.writing;
  }
}
