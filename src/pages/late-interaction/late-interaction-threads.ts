import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { workerScript } from '../../config/package-root.js';
import { Unavailable } from '../../errors/index.js';
import type { MultiVector } from '../../multivector/page-embedder.js';
import type { EncodedPage } from '../page-encoding.js';
import type { Job, Reply, Request, Result } from './messages.js';

/** More would take the cores from the database on the same machine. */
const MAX_THREADS = 4;

interface Pending {
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: Error) => void;
}

/** One worker thread. It starts with its first job, and again with the next one after it died. */
class LateInteractionThread {
  private worker: Worker | undefined;
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;

  run(job: Job): Promise<Result> {
    this.worker ??= this.launch();
    const request: Request = { id: ++this.lastId, job };
    this.worker.postMessage(request);
    return new Promise((resolve, reject) => this.pending.set(request.id, { resolve, reject }));
  }

  /** Jobs that are not done yet. */
  get load(): number {
    return this.pending.size;
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private launch(): Worker {
    const worker = new Worker(workerScript('pages/late-interaction/late-interaction.worker.js'));
    worker.on('message', ({ id, result }: Reply) => {
      this.pending.get(id)?.resolve(result);
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

/** Late interaction in worker threads: a question's pages are dealt out to all of them, a new page goes to one. */
@Injectable()
export class LateInteractionThreads implements OnApplicationShutdown {
  private readonly threads = Array.from(
    { length: Math.min(MAX_THREADS, availableParallelism()) },
    () => new LateInteractionThread(),
  );

  /**
   * Scores in [0, 1], one a page, in order; see `maxSim`.
   * @param pages each as `encodedPage` made it from vectors as long as those of the question.
   * @throws Unavailable when a thread died meanwhile.
   */
  async scores(question: MultiVector, pages: readonly Uint8Array[]): Promise<number[]> {
    const size = Math.ceil(pages.length / this.threads.length);
    const shares: Promise<Result>[] = [];
    for (const [index, thread] of this.threads.entries()) {
      const share = pages.slice(index * size, (index + 1) * size);
      if (share.length > 0) shares.push(thread.run({ kind: 'score', question, pages: share }));
    }
    const results = await Promise.all(shares);
    return results.flatMap((result) => (result.kind === 'score' ? [...result.scores] : []));
  }

  /**
   * A page as it is stored, see `encodedPage`.
   * @throws Unavailable when the thread died meanwhile.
   */
  async encoded(page: MultiVector): Promise<EncodedPage> {
    const [thread] = this.threads.toSorted((one, other) => one.load - other.load);
    const result = await thread?.run({ kind: 'encode', page });
    if (result?.kind !== 'encode') throw new Error('a page was not encoded');
    const { vectors } = result.page;
    return { ...result.page, vectors: Buffer.from(vectors.buffer, vectors.byteOffset, vectors.byteLength) };
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()));
  }
}
