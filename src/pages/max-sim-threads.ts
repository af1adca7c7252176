import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { workerScript } from '../config/package-root.js';
import { Unavailable } from '../errors/index.js';
import type { MultiVector } from '../models/multivector/page-embedder.js';
import type { MaxSimReply, MaxSimRequest } from './max-sim.worker.js';

/** Maximum number of threads. Leaves CPU cores to a database on the same machine. */
const MAX_THREADS = 4;

interface Pending {
  readonly resolve: (scores: Float64Array) => void;
  readonly reject: (reason: Error) => void;
}

/** A worker thread that starts with the first request. After a crash, the next request starts it again. */
class MaxSimThread {
  private worker: Worker | undefined;
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;

  run(question: MultiVector, pages: readonly Uint8Array[]): Promise<Float64Array> {
    this.worker ??= this.launch();
    const request: MaxSimRequest = { id: ++this.lastId, question, pages };
    this.worker.postMessage(request);
    return new Promise((resolve, reject) => this.pending.set(request.id, { resolve, reject }));
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private launch(): Worker {
    const worker = new Worker(workerScript('pages/max-sim.worker.js'));
    worker.on('message', ({ id, scores }: MaxSimReply) => {
      this.pending.get(id)?.resolve(scores);
      this.pending.delete(id);
    });
    let reason = 'terminated';
    worker.on('error', (error) => {
      reason = String(error); // the event 'exit' follows, whose listener rejects the pending calls
    });
    worker.on('exit', () => {
      this.worker = undefined;
      for (const { reject } of this.pending.values()) {
        reject(new Unavailable(`The page scoring thread stopped (${reason})`, 1));
      }
      this.pending.clear();
    });
    return worker;
  }
}

/** Computes late interaction. Distributes the pages among worker threads. */
@Injectable()
export class MaxSimThreads implements OnApplicationShutdown {
  private readonly threads = Array.from(
    { length: Math.min(MAX_THREADS, availableParallelism()) },
    () => new MaxSimThread(),
  );

  /**
   * Returns one score in [0, 1] per page, in order; see `maxSim`.
   * @param pages output of `encodedVectors` for each page, with as many dimensions as the question
   * @throws Unavailable if a thread dies.
   */
  async scores(question: MultiVector, pages: readonly Uint8Array[]): Promise<number[]> {
    const size = Math.ceil(pages.length / this.threads.length);
    const shares: Promise<Float64Array>[] = [];
    for (const [index, thread] of this.threads.entries()) {
      const share = pages.slice(index * size, (index + 1) * size);
      if (share.length > 0) shares.push(thread.run(question, share));
    }
    const scored = await Promise.all(shares);
    return scored.flatMap((scores) => [...scores]);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()));
  }
}
