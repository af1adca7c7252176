import { Worker } from 'node:worker_threads';
import { workerScript } from '../../config/package-root.js';

/** What the watching thread is started with. */
export interface WatchOptions {
  readonly parent: number;
  readonly megabytes: number;
}

/**
 * Ends this process when it takes more memory than it may, or when the process that started it has died. A thread of its
 * own looks, since a decoder keeps the event loop for as long as it likes.
 */
export function watchProcess(megabytes: number): void {
  const options: WatchOptions = { parent: process.ppid, megabytes };
  new Worker(workerScript('parsing/pages/process-watch.worker.js'), { workerData: options }).unref();
}
