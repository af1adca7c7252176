import { spawn, type ChildProcess } from 'node:child_process';
import { workerScript } from '../../config/package-root.js';
import { LinkedAbort } from '../../errors/index.js';
import { ParseFailure } from '../parse-failure.js';
import { errorOf } from '../reader/failures.js';
import { NEXT, type DrawingReply, type DrawnType } from './messages.js';
import type { PageImage } from './page-image.js';

/** Bounds of the process that draws a file. */
export interface DrawingLimits {
  /** Of its memory; the file is in it two times. */
  readonly megabytes: number;
  /** For each page, starting the process and opening the file included in the first. */
  readonly pageMs: number;
}

/** What is drawn. */
interface Drawing {
  readonly type: DrawnType;
  /** Pages at the beginning that are not. */
  readonly skipped: number;
}

/** Heap of JavaScript, in MB: pixels and files are not in it. */
const HEAP = 128;

/**
 * Draws the pages of one file, each when it is asked for. A file that makes a decoder take all memory, never end or crash
 * takes a process with it, not the service; a process that is not needed any more is ended at once.
 * @throws ParseFailure when the file cannot be drawn within the limits; the reason of the signal when it is aborted.
 */
export async function* drawPages(
  bytes: Uint8Array,
  what: Drawing,
  limits: DrawingLimits,
  signal?: AbortSignal,
): AsyncGenerator<PageImage, void> {
  const end = new LinkedAbort(signal);
  const child = start(bytes, what, limits);
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  end.signal.addEventListener('abort', kill);
  try {
    let next = answer(child, limits, end.signal);
    for (;;) {
      const reply = await next;
      if (reply.kind === 'end') return;
      if (reply.kind !== 'page') throw errorOf(reply);
      yield reply.page;
      next = answer(child, limits, end.signal);
      child.send(NEXT);
    }
  } finally {
    end.signal.removeEventListener('abort', kill);
    end.end();
    kill();
  }
}

function start(bytes: Uint8Array, { type, skipped }: Drawing, { megabytes }: DrawingLimits): ChildProcess {
  const script = workerScript('parsing/pages/drawing.worker.js');
  const numbers = [skipped, bytes.byteLength, megabytes].map(String);
  const child = spawn(
    process.execPath,
    ['--expose-gc', `--max-old-space-size=${HEAP}`, script, type, ...numbers],
    {
      env: {}, // it has no use for keys and addresses
      serialization: 'advanced', // bytes as they are
      stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    },
  );
  child.on('error', () => undefined); // `answer` tells
  child.stdin?.on('error', () => undefined); // it ended before it had read everything; its answer says why
  child.stdin?.end(bytes);
  return child;
}

/** The next message of the process. */
function answer(child: ChildProcess, { pageMs }: DrawingLimits, signal: AbortSignal): Promise<DrawingReply> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void): void => {
      clearTimeout(deadline);
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
      outcome();
    };
    const deadline = setTimeout(() => {
      settle(() => {
        reject(tooSlow());
      });
    }, pageMs);
    const onMessage = (message: unknown): void => {
      settle(() => {
        resolve(message as DrawingReply);
      });
    };
    const onError = (error: Error): void => {
      settle(() => {
        reject(signal.aborted ? (signal.reason as Error) : error);
      });
    };
    const onExit = (code: number | null): void => {
      settle(() => {
        reject(signal.aborted ? (signal.reason as Error) : ended(code));
      });
    };
    if (signal.aborted || child.exitCode !== null || child.signalCode !== null) {
      onExit(child.exitCode);
      return;
    }
    child.on('message', onMessage).on('exit', onExit).on('error', onError);
  });
}

function tooSlow(): ParseFailure {
  return new ParseFailure(
    'A page of the file takes too long to draw: simplify it, or divide the file into smaller ones.',
  );
}

/** It is killed when it takes too much; decoders that crash end it with a signal or a code. */
function ended(code: number | null): ParseFailure {
  return new ParseFailure(
    'A page of the file needs more memory to be drawn than one may take, or is damaged: save the file anew, or divide it into smaller ones.',
    { cause: new Error(`the drawing process ended with code ${String(code)}`) },
  );
}
