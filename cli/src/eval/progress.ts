import type { QuestionResult } from '@lectern/evaluation';
import { SingleBar } from 'cli-progress';
import { printError } from '../output.js';

/** Reports progress on stderr: a bar on a terminal, otherwise a line per question. */
export class Progress {
  private readonly bar: SingleBar | null;
  private done = 0;
  private failures = 0;

  constructor(private readonly total: number) {
    this.bar = process.stderr.isTTY
      ? new SingleBar({
          format:
            '{bar} {percentage}% | {value} of {total} questions | {failed} failed | {eta_formatted} left',
          stream: process.stderr,
          hideCursor: true,
          gracefulExit: false,
        })
      : null;
    this.bar?.start(total, 0, { failed: 0 });
  }

  add({ line, error }: QuestionResult): void {
    this.done += 1;
    if (error !== null) this.failures += 1;
    if (this.bar !== null) this.bar.increment(1, { failed: this.failures });
    else printError(`${this.done} of ${this.total}: line ${line}${error === null ? '' : `: ${error}`}`);
  }

  end(): void {
    this.bar?.stop();
  }
}
