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
 * Reports progress on stderr. A terminal has a changing line per file in progress; other outputs get only the final
 * line of each file.
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

/** The summary for stdout: a count per outcome, and every failure with its reason. */
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

/** The plan for stdout: a line per file that would be sent. */
export function preview(plans: readonly Plan[]): string {
  const due = plans.filter((plan) => actionFor(plan) !== 'none');
  return [
    ...due.map((plan) => `${WORDS[actionFor(plan)].padEnd(13)} ${plan.file.sourcePath}`),
    `${due.filter(({ unreadable }) => unreadable === undefined).length} of ${plans.length} files would be sent`,
  ].join('\n');
}
