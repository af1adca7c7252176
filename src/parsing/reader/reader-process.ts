import { spawn, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { workerScript } from '../../config/package-root.js';
import { ParseFailure } from '../parse-failure.js';
import { errorOf, type ReaderOptions, type Reply, type Request, type Result, type Task } from './messages.js';
import { TIME_IS_UP } from './bounds.js';

/** Bytes of a file that are sent at once. */
const PART = 2 ** 20;

/** Of what it says before it ends unexpectedly. */
const LAST_WORDS = 2_000;

/** Until a process that was told to end is killed: it first ends what it started. */
const GRACE_MS = 2_000;

export interface TaskOptions {
  readonly bytes?: Uint8Array;
  /** On the processor. */
  readonly seconds: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * A process that reads files, one task at a time. What a file makes a library do, take all memory, never end or crash, ends
 * this process and nothing else.
 */
export class ReaderProcess {
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;
  private lastWords = '';
  private isEnding = false;
  /** What it took at the end of its last task, in MB. */
  megabytes = 0;

  constructor(options: ReaderOptions) {
    const { PATH, TMPDIR, TZ } = process.env;
    this.child = spawn(
      process.execPath,
      [
        '--expose-gc',
        `--max-old-space-size=${options.megabytes}`,
        workerScript('parsing/reader/reader.worker.js'),
        JSON.stringify(options),
      ],
      {
        env: { PATH, TMPDIR, TZ }, // it has no use for keys and addresses
        serialization: 'advanced', // bytes as they are
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      },
    );
    this.child.stderr?.setEncoding('utf8').on('data', (words: string) => {
      this.lastWords = (this.lastWords + words).slice(-LAST_WORDS);
    });
    this.exited = once(this.child, 'exit').catch((error: unknown) => {
      this.lastWords = String(error); // it could not be started
    });
    this.rest();
  }

  get isAlive(): boolean {
    return (
      !this.isEnding && this.child.exitCode === null && this.child.signalCode === null && this.child.connected
    );
  }

  /**
   * What a task brings about; a page each time when the next is asked for. Whoever stops asking ends the process.
   * @throws ParseFailure when the file cannot be read within the bounds; the reason of the signal when it is aborted.
   */
  async *run(
    task: Task,
    { bytes = new Uint8Array(), seconds, signal }: TaskOptions,
  ): AsyncGenerator<Result, void> {
    const gone = new AbortController();
    const abort = (): void => {
      gone.abort();
    };
    let isDone = false;
    signal?.addEventListener('abort', abort);
    void this.exited.then(abort);
    this.child.ref();
    this.child.channel?.ref();
    try {
      signal?.throwIfAborted();
      const replies = on(this.child, 'message', { signal: gone.signal });
      const sent = this.ask(task, bytes, seconds);
      sent.catch(abort);
      for await (const [message] of replies as AsyncIterable<[Reply]>) {
        if (message.kind !== 'end') {
          yield message;
          if (message.kind === 'page') await this.send({ kind: 'next' });
          continue;
        }
        this.megabytes = message.megabytes;
        isDone = true;
        if (message.failure !== null) throw errorOf(message.failure);
        return;
      }
    } catch (error) {
      if (isDone) throw error;
      signal?.throwIfAborted();
      await this.exited; // it has gone, or is about to: there is no other end of its messages
      throw this.ended(task);
    } finally {
      signal?.removeEventListener('abort', abort);
      if (!isDone) void this.end();
      this.rest();
    }
  }

  /** Ends it with everything that it started. */
  async end(): Promise<void> {
    this.isEnding = true;
    if (this.child.connected) this.child.disconnect();
    const kill = setTimeout(() => this.child.kill('SIGKILL'), GRACE_MS);
    await this.exited;
    clearTimeout(kill);
  }

  /** A process without a task keeps nobody alive. */
  private rest(): void {
    this.child.unref();
    this.child.channel?.unref();
    (this.child.stderr as { unref?: () => void } | null)?.unref?.();
  }

  private async ask(task: Task, bytes: Uint8Array, seconds: number): Promise<void> {
    await this.send({ kind: 'task', task, size: bytes.length, seconds });
    for (let at = 0; at < bytes.length; at += PART) {
      await this.send({ kind: 'bytes', part: bytes.subarray(at, at + PART) });
    }
  }

  private send(request: Request): Promise<void> {
    return new Promise((resolve, reject) => {
      this.child.send(request, (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
  }

  /** Why there will be no more of a task. */
  private ended(task: Task): Error {
    const { exitCode, signalCode } = this.child;
    const cause = new Error(`the reader ended with ${String(signalCode ?? exitCode)}: ${this.lastWords}`);
    const isDrawing = task.kind === 'draw';
    if (signalCode === TIME_IS_UP) return new ParseFailure(isDrawing ? PAGE_TOO_SLOW : TOO_SLOW, { cause });
    // It is killed when it takes too much, and the runtime aborts without memory; decoders that crash end it by a signal.
    return signalCode === null ? cause : new ParseFailure(isDrawing ? PAGE_TOO_LARGE : TOO_LARGE, { cause });
  }
}

const TOO_SLOW = 'The file takes too long to read: divide it into smaller files, or simplify it.';
const TOO_LARGE = 'The file needs more memory than one document may take: divide it into smaller files.';
const PAGE_TOO_SLOW =
  'A page of the file takes too long to draw: simplify it, or divide the file into smaller ones.';
const PAGE_TOO_LARGE =
  'A page of the file needs more memory to be drawn than one may take, or is damaged: save the file anew, or divide it into smaller ones.';
