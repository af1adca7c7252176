import { MultiBar, type SingleBar } from 'cli-progress';
import {
  actionFor,
  type FileResult,
  type IngestionObserver,
  type Outcome,
  type Plan,
} from './folder-ingestion.js';
import type { Step } from './known-documents.js';
import type { SourceFile } from './source-files.js';

const OUTCOMES: readonly Outcome[] = ['new', 'updated', 'unchanged', 'failed'];

/**
 * Tells a person how far it is, on stderr. A terminal has a line for each file in work, which moves and in the end says
 * what came of it; elsewhere there is that last line alone.
 */
export class ProgressReport implements IngestionObserver {
  private readonly bars: MultiBar | null;
  private readonly inWork = new Map<SourceFile, SingleBar>();

  constructor(private readonly stream: NodeJS.WriteStream = process.stderr) {
    this.bars = stream.isTTY
      ? new MultiBar({
          format: '{bar} {percentage}%  {file}  {step}',
          barsize: 20,
          stream,
          hideCursor: true,
          clearOnComplete: true,
          forceRedraw: true,
          gracefulExit: false,
        })
      : null;
  }

  begun(file: SourceFile): void {
    const bar = this.bars?.create(100, 0, { file: file.sourcePath, step: 'sending' });
    if (bar !== undefined) this.inWork.set(file, bar);
  }

  moved(file: SourceFile, { name, percentage }: Step): void {
    this.inWork.get(file)?.update(percentage, { step: name });
  }

  ended({ file, outcome, reason }: FileResult): void {
    const line = `${outcome.padEnd(9)} ${file.sourcePath}${reason === undefined ? '' : `: ${reason}`}\n`;
    const bar = this.inWork.get(file);
    if (this.bars === null || bar === undefined) {
      this.stream.write(line);
      return;
    }
    this.bars.log(line);
    this.bars.remove(bar);
    this.inWork.delete(file);
  }

  end(): void {
    this.bars?.stop();
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

const WORDS = {
  ingest: 'new',
  update: 'changed',
  retry: 'failed before',
  none: 'unchanged',
  unreadable: 'unreadable',
} as const;

/** What would be done, to stdout: a line for every file that is not as it was. */
export function preview(plans: readonly Plan[]): string {
  const due = plans.filter((plan) => actionFor(plan) !== 'none');
  return [
    ...due.map((plan) => `${WORDS[actionFor(plan)].padEnd(13)} ${plan.file.sourcePath}`),
    `${due.filter(({ unreadable }) => unreadable === undefined).length} of ${plans.length} files would be sent`,
  ].join('\n');
}
