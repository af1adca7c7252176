import { SingleBar } from 'cli-progress';
import { actionFor, type FileResult, type Outcome, type Plan } from './folder-ingestion.js';

const OUTCOMES: readonly Outcome[] = ['new', 'updated', 'unchanged', 'failed'];

/** Tells a person how far it is: a bar on a terminal, a line for every file elsewhere. Both go to stderr. */
export class ProgressReport {
  private readonly bar: SingleBar | null;

  constructor(total: number) {
    this.bar = process.stderr.isTTY
      ? new SingleBar({
          format: '{bar} {percentage}% | {value} of {total} files | {failed} failed | {file}',
          stream: process.stderr,
          hideCursor: true,
          gracefulExit: false,
        })
      : null;
    this.bar?.start(total, 0, { failed: 0, file: '' });
  }

  private failures = 0;

  add({ file, outcome, reason }: FileResult): void {
    if (outcome === 'failed') this.failures += 1;
    if (this.bar !== null) this.bar.increment(1, { failed: this.failures, file: file.sourcePath });
    else console.error(`${outcome.padEnd(9)} ${file.sourcePath}${reason === undefined ? '' : `: ${reason}`}`);
  }

  end(): void {
    this.bar?.stop();
  }
}

/** What came of everything, to stdout: a count for each outcome, and every failure with its reason. */
export function summary(results: readonly FileResult[], seconds: number): string {
  const counts = OUTCOMES.map(
    (outcome) => `${results.filter((result) => result.outcome === outcome).length} ${outcome}`,
  );
  const failures = results.filter(({ outcome }) => outcome === 'failed');
  const lines = failures.map(({ file, reason }) => `  ${file.sourcePath}: ${reason ?? ''}`);
  return [`${results.length} files in ${seconds.toFixed(1)} s: ${counts.join(', ')}`, ...lines].join('\n');
}

const WORDS = { ingest: 'new', update: 'changed', retry: 'failed before', none: 'unchanged' } as const;

/** What would be done, to stdout: a line for every file that is not as it was. */
export function preview(plans: readonly Plan[]): string {
  const due = plans.filter((plan) => actionFor(plan) !== 'none');
  return [
    ...due.map((plan) => `${WORDS[actionFor(plan)].padEnd(13)} ${plan.file.sourcePath}`),
    `${due.length} of ${plans.length} files would be sent`,
  ].join('\n');
}
