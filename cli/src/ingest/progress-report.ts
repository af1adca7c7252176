import { MultiBar, type SingleBar } from 'cli-progress';
import {
  actionFor,
  type FileResult,
  type IngestionObserver,
  type Outcome,
  type Plan,
} from './folder-ingestion.js';
import type { KnownDocument, Step } from './known-documents.js';
import type { SourceFile } from './source-files.js';

const OUTCOMES: readonly Outcome[] = ['new', 'updated', 'unchanged', 'failed'];

/**
 * Reports progress on stderr. On a terminal, one bar shows all files and the time left, and each file in progress has a
 * bar of its own. Any other output gets one line per file when the file is done.
 */
export class ProgressReport implements IngestionObserver {
  private readonly bars: MultiBar | null;
  private readonly inWork = new Map<SourceFile, SingleBar | undefined>();
  private readonly whole: SingleBar | undefined;
  private readonly results: FileResult[] = [];
  private readonly begunAt = performance.now();

  /** @param total number of files @param due number of files that need to be sent */
  constructor(
    private readonly total: number,
    private readonly due: number,
    private readonly stream: NodeJS.WriteStream = process.stderr,
  ) {
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
    this.whole = this.bars?.create(
      total,
      0,
      { left: '' },
      { format: '{bar} {value} of {total} files{left}' },
    );
  }

  begun(file: SourceFile): void {
    const bar = this.bars?.create(100, 0, { file: file.sourcePath, step: 'sending' });
    this.inWork.set(file, bar);
  }

  moved(file: SourceFile, { name, percentage }: Step): void {
    this.inWork.get(file)?.update(percentage, { step: name });
  }

  ended(result: FileResult): void {
    const { file, outcome, reason } = result;
    this.results.push(result);
    const line = `${outcome.padEnd(9)} ${file.sourcePath}${reason === undefined ? '' : `: ${reason}`}\n`;
    const bar = this.inWork.get(file);
    this.inWork.delete(file);
    if (this.bars === null || bar === undefined) {
      this.stream.write(line);
      return;
    }
    const sent = this.results.filter((one) => one.outcome !== 'unchanged').length;
    const seconds = (performance.now() - this.begunAt) / 1_000;
    this.whole?.update(this.results.length, { left: timeLeft(sent, this.due, seconds) });
    this.bars.log(line);
    this.bars.remove(bar);
  }

  /** The message after an interruption, about the files that are done, in progress and not begun. */
  interrupted(): string {
    const open = this.total - this.results.length - this.inWork.size;
    return [
      `Interrupted: ${this.results.length} of ${this.total} files done (${countsOf(this.results)}), ` +
        `${this.inWork.size} in progress, ${open} not begun`,
      ...[...this.inWork.keys()].map(({ sourcePath }) => `  in progress: ${sourcePath}`),
      'The service still processes the files that it has received. Run the same command again to send the others.',
    ].join('\n');
  }

  end(): void {
    this.bars?.stop();
  }
}

/** The summary for stdout: a count per outcome, and every failure with its reason. */
export function summary(results: readonly FileResult[], seconds: number): string {
  const failures = results.filter(({ outcome }) => outcome === 'failed');
  const lines = failures.map(({ file, reason }) => `  ${file.sourcePath}: ${reason ?? ''}`);
  return [`${results.length} files in ${seconds.toFixed(1)} s: ${countsOf(results)}`, ...lines].join('\n');
}

/** The text for stdout about documents whose files no longer exist: one line per document, and a summary. */
export function pruning(documents: readonly KnownDocument[], isDeleted: boolean): string {
  if (documents.length === 0) return 'Every document of the source has its file.';
  const count = documents.length === 1 ? '1 document' : `${documents.length} documents`;
  return [
    ...documents.map(({ sourcePath }) => `${(isDeleted ? 'deleted' : 'gone').padEnd(9)} ${sourcePath}`),
    isDeleted
      ? `${count} deleted, because the files no longer exist`
      : `${count} without a file; --prune --yes deletes them`,
  ].join('\n');
}

function countsOf(results: readonly FileResult[]): string {
  return OUTCOMES.map(
    (outcome) => `${results.filter((result) => result.outcome === outcome).length} ${outcome}`,
  ).join(', ');
}

/**
 * Estimates the time left from the time per file so far.
 * @param sent number of files that are done, among the `due` files that must be sent
 */
export function timeLeft(sent: number, due: number, seconds: number): string {
  if (sent === 0 || sent >= due) return '';
  const left = (seconds / sent) * (due - sent);
  return left < 90 ? `, about ${Math.ceil(left)} s left` : `, about ${Math.round(left / 60)} min left`;
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
