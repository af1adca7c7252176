import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { workerScript } from '../../config/package-root.js';
import { currentSignal, throwIfAborted } from '../../request/request-context.js';
import type { LibreOffice } from '../office/libre-office.js';
import { failureOf } from './failures.js';
import { heapFor, JobWatch, tooLarge, type JobLimits } from './job-watch.js';
import type {
  ConversionOutcome,
  ConversionRequest,
  Job,
  Progress,
  ReaderOptions,
  Reply,
} from './messages.js';
import { ownBuffer } from './own-buffer.js';

export interface JobOptions {
  readonly onProgress?: (progress: Progress) => void;
}

export type Answer = Exclude<Reply, { kind: 'progress' | 'convert' }>;

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: Error) => void;
  readonly onProgress: (progress: Progress) => void;
  readonly convert: (request: ConversionRequest) => Promise<void>;
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
    private readonly libreOffice: LibreOffice,
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
    const size = sizeOf(job);
    const worker = await this.workerFor(size);
    signal?.throwIfAborted();
    const { promise, resolve, reject } = withResolvers<Answer>();
    const abort = (): void => {
      reject(signal?.reason as Error);
    };
    const watch = new JobWatch(this.limits, size, reject);
    const jobEnd = new AbortController();
    signal?.addEventListener('abort', abort);
    worker.ref();
    this.waiting = {
      resolve,
      reject,
      onProgress(progress) {
        watch.progress();
        onProgress?.(progress);
      },
      convert: async (request) => {
        const outcome = await this.convert(request, jobEnd.signal);
        watch.progress();
        request.answer.postMessage(outcome, outcome.kind === 'converted' ? [outcome.bytes.buffer] : []);
        request.answer.close();
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
      jobEnd.abort(new Error('the job has ended'));
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

  private async convert(
    { bytes, conversion }: ConversionRequest,
    jobEnd: AbortSignal,
  ): Promise<ConversionOutcome> {
    try {
      const converted = await this.libreOffice.convert(bytes, conversion, jobEnd);
      return { kind: 'converted', bytes: ownBuffer(converted) };
    } catch (error) {
      return failureOf(error);
    }
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
      else if (reply.kind === 'convert') void this.waiting?.convert(reply);
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

/** In bytes or UTF-16 code units. */
function sizeOf(job: Job): number {
  if (job.kind === 'read') return job.bytes.byteLength;
  return job.text.length;
}
