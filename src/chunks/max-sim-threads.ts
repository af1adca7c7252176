import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { workerScript } from '../config/package-root.js';
import { Unavailable } from '../errors/index.js';
import type { MultiVector } from '../multivector/page-embedder.js';
import type { MaxSimReply, MaxSimRequest } from './max-sim.worker.js';

/** More would take the cores from the database on the same machine. */
const MAX_THREADS = 4;

interface Pending {
  readonly resolve: (scores: Float64Array) => void;
  readonly reject: (reason: Error) => void;
}

/** One worker thread. It starts with its first request, and again with the next one after it died. */
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
    const worker = new Worker(workerScript('chunks/max-sim.worker.js'));
    worker.on('message', ({ id, scores }: MaxSimReply) => {
      this.pending.get(id)?.resolve(scores);
      this.pending.delete(id);
    });
    let reason = 'it was ended';
    worker.on('error', (error) => {
      reason = String(error); // 'exit' follows and tells everyone who waits
    });
    worker.on('exit', () => {
      this.worker = undefined;
      for (const { reject } of this.pending.values()) {
        reject(new Unavailable(`The comparison of pages stopped (${reason})`, 1));
      }
      this.pending.clear();
    });
    return worker;
  }
}

/** Late interaction in worker threads: a question's pages are dealt out to all of them. */
@Injectable()
export class MaxSimThreads implements OnApplicationShutdown {
  private readonly threads = Array.from(
    { length: Math.min(MAX_THREADS, availableParallelism()) },
    () => new MaxSimThread(),
  );

  /**
   * Scores in [0, 1], one a page, in order; see `maxSim`.
   * @param pages each as `encodedVectors` made it from vectors as long as those of the question.
   * @throws Unavailable when a thread died meanwhile.
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
