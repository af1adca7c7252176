import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { workerScript } from '../../config/package-root.js';
import { currentSignal, throwIfAborted } from '../../request/request-context.js';
import { heapFor, JobWatch, tooLarge, type JobLimits } from './job-watch.js';
import type { Job, Progress, ReaderOptions, Reply } from './messages.js';

export interface JobOptions {
  readonly onProgress?: (progress: Progress) => void;
}

export type Answer = Exclude<Reply, { kind: 'progress' }>;

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: Error) => void;
  readonly onProgress: (progress: Progress) => void;
}

/** Difference of heaps, in MB, that is worth a new thread. */
const HEAP_STEP = 32;

/** A job that took longer leaves a thread that has grown; a new one starts within a tenth of this. */
const SHORT_JOB_MS = 2_000;

/**
 * A worker thread and the jobs that wait for it, first come, first served. It lives from job to job, is ended when a job
 * goes wrong, and made anew for the next one.
 */
export class ReadingThread {
  private worker: Worker | undefined;
  /** Of the worker, in MB. */
  private heap = 0;
  private waiting: Waiting | undefined;
  private readonly limit = pLimit(1);

  constructor(
    private readonly options: ReaderOptions,
    private readonly limits: JobLimits,
  ) {}

  /**
   * Runs one job when those before it have ended.
   * @throws ParseFailure when the file cannot be read within the limits; the reason of the present signal when it is aborted.
   */
  async run(job: Job, options: JobOptions): Promise<Answer> {
    throwIfAborted();
    return this.limit(() => this.runAlone(job, options));
  }

  private async runAlone(job: Job, { onProgress }: JobOptions): Promise<Answer> {
    const signal = currentSignal();
    signal?.throwIfAborted();
    const size = job.kind === 'read' ? job.bytes.byteLength : job.text.length;
    const worker = await this.workerFor(size);
    signal?.throwIfAborted();
    const { promise, resolve, reject } = withResolvers<Answer>();
    const abort = (): void => {
      reject(signal?.reason as Error);
    };
    const watch = new JobWatch(this.limits, size, reject);
    signal?.addEventListener('abort', abort);
    worker.ref();
    this.waiting = {
      resolve,
      reject,
      onProgress(progress) {
        watch.progress();
        onProgress?.(progress);
      },
    };
    try {
      const begun = performance.now();
      worker.postMessage(job, job.kind === 'read' ? [job.bytes.buffer as ArrayBuffer] : []);
      const answer = await promise;
      const grown =
        performance.now() - begun > SHORT_JOB_MS || this.heap > heapFor(this.limits, 0) + HEAP_STEP;
      if (grown) await this.end(); // what a large file left is given back
      return answer;
    } catch (error) {
      await this.end();
      throw error;
    } finally {
      this.waiting = undefined;
      worker.unref(); // an idle thread keeps no process alive
      watch.end();
      signal?.removeEventListener('abort', abort);
    }
  }

  async end(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
  }

  /** A thread whose heap fits the size of the job: a small file must not take what a large one needs. */
  private async workerFor(size: number): Promise<Worker> {
    const heap = heapFor(this.limits, size);
    if (heap > this.heap + HEAP_STEP || heap < this.heap - HEAP_STEP) await this.end();
    this.heap = this.worker === undefined ? heap : this.heap;
    return (this.worker ??= this.start());
  }

  private start(): Worker {
    const worker = new Worker(workerScript('parsing/document-reader.worker.js'), {
      workerData: this.options,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: this.heap },
    });
    worker.stderr.resume(); // decoders complain there about broken files; what matters comes as a reply or an error
    worker.on('message', (reply: Reply) => {
      if (reply.kind === 'progress') this.waiting?.onProgress(reply.progress);
      else this.waiting?.resolve(reply);
    });
    worker.on('error', (error: Error) => {
      this.waiting?.reject(isOutOfMemory(error) ? tooLarge({ cause: error }) : error);
    });
    worker.on('exit', (code) => {
      if (this.worker === worker) this.worker = undefined;
      this.waiting?.reject(new Error(`the reading thread ended with code ${code}`));
    });
    return worker;
  }
}

interface Resolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: Error) => void;
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers<T>(): Resolvers<T> {
  let resolve: Resolvers<T>['resolve'] = () => undefined;
  let reject: Resolvers<T>['reject'] = () => undefined;
  const promise = new Promise<T>((onValue, onReason) => {
    resolve = onValue;
    reject = onReason;
  });
  return { promise, resolve, reject };
}

function isOutOfMemory(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
