import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as after } from 'node:timers';

/** Bounds of a process and of those that it starts. */
export interface Limits {
  /** Of each process on the processor; on the clock so many times as long as a busy machine may make of it. */
  readonly seconds: number;
  /** Of address space, of each process. */
  readonly memoryBytes: number;
  /** Of the largest file that it writes. */
  readonly fileBytes: number;
}

interface Ended {
  /** The end of what it wrote to its outputs. */
  readonly output: string;
  readonly timedOut: boolean;
}

/**
 * Sets the bounds, takes the network away where the kernel lets ordinary users do that, and becomes the program. What
 * macOS cannot bound stays without that bound.
 */
const CONFINE = `
ulimit -v "$1" 2>/dev/null
ulimit -t "$2" 2>/dev/null
ulimit -f "$3" 2>/dev/null
ulimit -c 0 2>/dev/null
shift 3
if unshare --map-root-user --net true 2>/dev/null; then exec unshare --map-root-user --net "$@"; fi
exec "$@"
`;

/** What it may take by the clock, in times of what it may take on the processor. */
const BUSY = 5;

/** By which processes end that take too long, as a shell reports them. */
const OUT_OF_TIME = new Set<unknown>(['SIGXCPU', 'SIGKILL', 128 + 24, 128 + 9]);

const OUTPUT_KEPT = 2_000;

/**
 * Runs a program in a folder that is its home, its working directory and its place for temporary files. It sees none of
 * this service's environment, and ends with everything it started in its process group when it takes too long or the
 * signal is aborted.
 * @throws the reason of the signal when it is aborted.
 */
export async function runConfined(
  command: readonly string[],
  { folder, limits, signal }: { folder: string; limits: Limits; signal: AbortSignal },
): Promise<Ended> {
  signal.throwIfAborted();
  const bounds = [limits.memoryBytes / 1_024, limits.seconds, limits.fileBytes / 512].map((bound) =>
    Math.floor(bound).toString(),
  );
  const child = spawn('/bin/sh', ['-c', CONFINE, 'sh', ...bounds, ...command], {
    cwd: folder,
    detached: true, // a process group of its own, so that one signal reaches all of it
    env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_KEPT);
    });
  }
  const kill = (): void => {
    killGroup(child.pid);
  };
  let timedOut = false;
  const deadline = after(
    () => {
      timedOut = true;
      kill();
    },
    limits.seconds * BUSY * 1_000,
  );
  signal.addEventListener('abort', kill);
  try {
    const closed = once(child, 'close');
    child.once('exit', kill); // what it left running would keep its outputs open
    const [code, ended] = (await closed) as [number | null, NodeJS.Signals | null];
    timedOut ||= OUT_OF_TIME.has(code) || OUT_OF_TIME.has(ended);
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', kill);
  }
  signal.throwIfAborted();
  return { output, timedOut };
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // nothing of it is left
  }
}
