import type { WorkerOptions } from 'node:worker_threads';
import { Unavailable } from '../../../errors/index.js';
import { ModelThread } from './model-thread.js';
import type { ModelThreadData } from './text-model.js';

/** A thread that ran nothing for this time ends, which frees its copy of the model. */
const IDLE_MS = 60_000;

/** Texts that a thread runs or has waiting before another one starts: with the second one it is never idle. */
export const TEXTS_PER_THREAD = 2;

interface Member {
  readonly thread: ModelThread;
  /** Number of texts that wait or run. */
  texts: number;
  idle?: NodeJS.Timeout;
}

/**
 * Threads that share the background texts of all callers. Each runs one text at a time on one core, which embeds more
 * texts a second than one thread with several cores. A thread starts when every other one has a text
 * waiting.
 */
export class ModelPool {
  private readonly members = new Set<Member>();
  private readonly ending = new Set<Promise<void>>();
  private closed = false;

  /** @param size maximum number of threads */
  constructor(
    readonly size: number,
    private readonly data: ModelThreadData,
    private readonly workerOptions: WorkerOptions,
    private readonly idleMs = IDLE_MS,
  ) {}

  /** Number of threads that run now. */
  get running(): number {
    return this.members.size;
  }

  /** @throws as `ModelThread.run` */
  async run(text: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    if (this.closed) throw new Unavailable('The service is shutting down', 1);
    const member = this.leastBusy();
    clearTimeout(member.idle);
    member.texts++;
    try {
      return await member.thread.run(text, signal);
    } finally {
      member.texts--;
      if (member.texts === 0) this.endWhenIdle(member);
    }
  }

  /** Ends all threads, after the texts that they were given. */
  async close(): Promise<void> {
    this.closed = true;
    for (const member of this.members) this.end(member);
    await Promise.all(this.ending);
  }

  private leastBusy(): Member {
    const [first, ...others] = this.members;
    if (first !== undefined) {
      const least = others.reduce((best, member) => (member.texts < best.texts ? member : best), first);
      if (least.texts < TEXTS_PER_THREAD || this.members.size >= this.size) return least;
    }
    const member: Member = { thread: new ModelThread(this.data, this.workerOptions), texts: 0 };
    this.members.add(member);
    return member;
  }

  private endWhenIdle(member: Member): void {
    if (this.closed) return;
    member.idle = setTimeout(() => {
      this.members.delete(member);
      this.end(member);
    }, this.idleMs);
    member.idle.unref();
  }

  private end(member: Member): void {
    clearTimeout(member.idle);
    const ended = member.thread.close().finally(() => this.ending.delete(ended));
    this.ending.add(ended);
  }
}
