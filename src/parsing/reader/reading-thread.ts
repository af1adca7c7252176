import { Worker } from 'node:worker_threads';
import { workerScript } from '../../config/package-root.js';
import { ParseFailure } from '../parse-failure.js';
import type { Job, Progress, ReaderOptions, Reply } from './messages.js';

export interface ThreadLimits {
  /** JavaScript heap of the thread. */
  readonly heapMegabytes: number;
  /** Longest time without any progress before the thread is given up. */
  readonly deadlineMs: number;
}

export interface JobOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** A worker thread that lives from job to job, is ended when a job goes wrong, and made anew for the next one. */
export class ReadingThread {
  private worker: Worker | undefined;

  constructor(
    private readonly options: ReaderOptions,
    private readonly limits: ThreadLimits,
  ) {}

  /**
   * Runs one job; the caller sees to it that no other runs meanwhile.
   * @throws ParseFailure when the file cannot be read, or not within the limits; the signal's reason when aborted.
   */
  async run(job: Job, { signal, onProgress }: JobOptions): Promise<Exclude<Reply, { kind: 'progress' }>> {
    signal?.throwIfAborted();
    const worker = (this.worker ??= this.start());
    let timer: NodeJS.Timeout | undefined;
    const stop = new AbortController();
    try {
      return await new Promise((resolve, reject) => {
        const watch = (): void => {
          clearTimeout(timer);
          timer = setTimeout(() => {
            reject(tooSlow());
          }, this.limits.deadlineMs);
        };
        worker.on('message', (reply: Reply) => {
          if (reply.kind !== 'progress') {
            resolve(reply);
            return;
          }
          watch();
          onProgress?.(reply.progress);
        });
        worker.on('error', (error: Error) => {
          reject(isOutOfMemory(error) ? tooLarge(error) : error);
        });
        worker.on('exit', (code) => {
          reject(new Error(`the reading thread ended with code ${code}`));
        });
        signal?.addEventListener(
          'abort',
          () => {
            reject(signal.reason as Error);
          },
          { signal: stop.signal },
        );
        watch();
        worker.postMessage(job, job.kind === 'read' ? [job.bytes.buffer as ArrayBuffer] : []);
      });
    } catch (error) {
      await this.end();
      throw error;
    } finally {
      stop.abort();
      clearTimeout(timer);
      worker.removeAllListeners();
    }
  }

  async end(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    worker?.removeAllListeners();
    await worker?.terminate();
  }

  private start(): Worker {
    const worker = new Worker(workerScript('parsing/document-reader.worker.js'), {
      workerData: this.options,
      resourceLimits: { maxOldGenerationSizeMb: this.limits.heapMegabytes },
    });
    worker.unref();
    return worker;
  }
}

function isOutOfMemory(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooLarge(cause: Error): ParseFailure {
  return new ParseFailure(
    'The file needs more memory than one document may take: divide it into smaller files.',
    {
      cause,
    },
  );
}

function tooSlow(): ParseFailure {
  return new ParseFailure('The file takes too long to read: divide it into smaller files, or simplify it.');
}
