import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as after } from 'node:timers';

/** Limits of a process and its children. */
export interface Limits {
  /** CPU time of each process. The wall-clock limit is a multiple of the CPU time, to allow for busy machines. */
  readonly seconds: number;
  /** Address space of each process. */
  readonly memoryBytes: number;
  /** Maximum size of a file that a process writes. */
  readonly fileBytes: number;
}

interface Ended {
  /** The last part of the program's stdout and stderr. */
  readonly output: string;
  readonly timedOut: boolean;
}

/**
 * Sets limits, unshares the network if the kernel allows it for unprivileged users, and executes the program. Skips
 * limits that macOS lacks.
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

/** Wall-clock limit as a multiple of the CPU limit. */
const WALL_CLOCK_FACTOR = 5;

/** Exit signals and shell codes of processes that exceed their CPU time. */
const TIMED_OUT = new Set<unknown>(['SIGXCPU', 'SIGKILL', 128 + 24, 128 + 9]);

const OUTPUT_KEPT = 2_000;

/**
 * Runs a program in a folder that is its home, working directory and temporary directory. The program does not inherit
 * the environment. The whole process group is killed on a timeout or abort.
 *
 * @throws the abort reason of the signal.
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
    detached: true, // a separate process group, so that one signal reaches all children
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
    limits.seconds * WALL_CLOCK_FACTOR * 1_000,
  );
  signal.addEventListener('abort', kill);
  try {
    const closed = once(child, 'close');
    child.once('exit', kill); // ends orphaned children, which would keep the pipes open
    const [code, ended] = (await closed) as [number | null, NodeJS.Signals | null];
    timedOut ||= TIMED_OUT.has(code) || TIMED_OUT.has(ended);
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
    // no process of the group is left
  }
}
