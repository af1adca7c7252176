import { spawn, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { compiledScript } from '../../compiled-script.js';
import { ParseFailure } from '../parse-failure.js';
import { errorOf, type ReaderOptions, type Reply, type Request, type Result, type Task } from './messages.js';
import { TIME_IS_UP } from './bounds.js';

/** Bytes of a file per message. */
const PART = 2 ** 20;

/** Number of last characters of stderr that are kept for the error after an unexpected exit. */
const MAX_STDERR = 2_000;

/** Delay between disconnecting and SIGKILL, in which the process stops its children. */
const GRACE_MS = 2_000;

export interface TaskOptions {
  readonly bytes?: Uint8Array;
  /** CPU time. */
  readonly seconds: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * A child process that parses files, one task at a time. If a library exhausts memory, hangs or crashes on a file, only
 * this process ends.
 */
export class ReaderProcess {
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;
  private stderrTail = '';
  private isEnding = false;
  /** Memory after its last task, in MB. */
  megabytes = 0;

  constructor(options: ReaderOptions) {
    const { PATH, TMPDIR, TZ } = process.env;
    this.child = spawn(
      process.execPath,
      [
        '--expose-gc',
        `--max-old-space-size=${options.megabytes}`,
        compiledScript('parsing/reader/reader.worker.js'),
        JSON.stringify(options),
      ],
      {
        env: { PATH, TMPDIR, TZ }, // keeps keys and addresses out of the process
        serialization: 'advanced', // transfers bytes without encoding
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      },
    );
    this.child.stderr?.setEncoding('utf8').on('data', (words: string) => {
      this.stderrTail = (this.stderrTail + words).slice(-MAX_STDERR);
    });
    this.exited = once(this.child, 'exit').catch((error: unknown) => {
      this.stderrTail = String(error); // it failed to start
    });
    this.rest();
  }

  get isAlive(): boolean {
    return (
      !this.isEnding && this.child.exitCode === null && this.child.signalCode === null && this.child.connected
    );
  }

  /**
   * Runs a task and yields its results. Each page is drawn on demand. An early exit from the loop ends the process.
   *
   * @throws ParseFailure if the file cannot be parsed within the limits; the abort reason of the signal.
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
      await this.exited; // its message channel is closed, so the process has exited or is about to
      throw this.ended(task);
    } finally {
      signal?.removeEventListener('abort', abort);
      if (!isDone) void this.end();
      this.rest();
    }
  }

  async end(): Promise<void> {
    this.isEnding = true;
    if (this.child.connected) this.child.disconnect();
    const kill = setTimeout(() => this.child.kill('SIGKILL'), GRACE_MS);
    await this.exited;
    clearTimeout(kill);
  }

  /** Prevents an idle process from keeping the service alive. */
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

  private ended(task: Task): Error {
    const { exitCode, signalCode } = this.child;
    const cause = new Error(`the reader ended with ${String(signalCode ?? exitCode)}: ${this.stderrTail}`);
    const isDrawing = task.kind === 'draw' || task.kind === 'view';
    if (signalCode === TIME_IS_UP) return new ParseFailure(isDrawing ? PAGE_TOO_SLOW : TOO_SLOW, { cause });
    // A signal means that the process was killed for exceeding a limit, ran out of memory, or crashed in a decoder.
    return signalCode === null ? cause : new ParseFailure(isDrawing ? PAGE_TOO_LARGE : TOO_LARGE, { cause });
  }
}

const TOO_SLOW = 'The file takes too long to parse: divide it into smaller files, or simplify it.';
const TOO_LARGE = 'The file needs more memory than allowed: divide it into smaller files.';
const PAGE_TOO_SLOW =
  'A page of the file takes too long to render: simplify it, or divide the file into smaller ones.';
const PAGE_TOO_LARGE =
  'A page of the file needs more memory to render than allowed, or is damaged: save the file again, or divide it into smaller ones.';
