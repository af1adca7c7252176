import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readerProcesses } from './reader-processes.js';
import { until } from './until.js';

/** The output of a process, and how it ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

/** The line of the log that names the base URL. */
export const LISTENING = /Server listening at (http:\/\/[^\s"]+)/;

const RECORDER = fileURLToPath(new URL('../tenancy/predicates/record-statements.cjs', import.meta.url));

/**
 * Returns the variables that make a process record its SQL statements; an empty object if this run does not record
 * them.
 */
export function recorded(): Readonly<Record<string, string>> {
  const folder = process.env['RECORDED_STATEMENTS'];
  return folder === undefined ? {} : { RECORDED_STATEMENTS: folder, NODE_OPTIONS: `--require=${RECORDER}` };
}

/** The built service as a child process. Needs `npm run build`. */
export class ServiceProcess {
  private readonly lines: string[] = [];
  private readonly ended: Promise<Ended>;
  private readonly listening: Promise<string>;

  private constructor(private readonly child: ChildProcess) {
    this.ended = once(child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      output: this.output,
    }));
    this.listening = new Promise((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        if (stream === null) continue;
        createInterface(stream).on('line', (line) => {
          this.lines.push(line);
          const url = LISTENING.exec(line)?.[1];
          if (url !== undefined) resolve(url);
        });
      }
    });
  }

  /**
   * @param environment all environment variables of the process except PATH
   * @param tracer a command that runs the service as a direct child of this process, such as `strace -D`
   */
  static spawn(
    environment: Readonly<Record<string, string>>,
    script = 'dist/main.js',
    args: readonly string[] = [],
    tracer: readonly string[] = [],
  ): ServiceProcess {
    const [command = '', ...rest] = [...tracer, process.execPath, script, ...args];
    return new ServiceProcess(
      spawn(command, rest, {
        env: { PATH: process.env['PATH'], LOG_FORMAT: 'json', ...recorded(), ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  }

  get output(): string {
    return this.lines.join('\n');
  }

  /** Resolves to the base URL once the process listens. @throws Error with the output if the process exits before */
  async url(): Promise<string> {
    const first = await Promise.race([this.listening, this.ended]);
    if (typeof first === 'string') return first;
    throw new Error(`the service ended with ${first.code ?? first.signal ?? 'nothing'}:\n${first.output}`);
  }

  /** Waits for a text in the output, because output may arrive later than a response. */
  async printed(text: string): Promise<void> {
    await until(`the process prints ${text}`, () => this.output.includes(text));
  }

  /** Peak memory of the process with all threads, in MB; Linux only. */
  peakMegabytes(): Promise<number> {
    return this.megabytes('VmHWM');
  }

  /** Current memory, counted like `peakMegabytes`. */
  presentMegabytes(): Promise<number> {
    return this.megabytes('VmRSS');
  }

  /** Like `presentMegabytes`, including the parser processes of the service. */
  async presentMegabytesWithReaders(): Promise<number> {
    const readers = readerProcesses(this.child.pid).map(
      (pid) => megabytes(pid, 'VmRSS').catch(() => 0), // the process has exited
    );
    return (await Promise.all([this.presentMegabytes(), ...readers])).reduce((sum, one) => sum + one);
  }

  /** Targets of the open file descriptors, such as `socket:[123]`; Linux only. */
  async openFiles(): Promise<string[]> {
    const folder = `/proc/${this.child.pid ?? 0}/fd`;
    const names = await readdir(folder);
    return Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => 'closed')));
  }

  private megabytes(name: string): Promise<number> {
    return megabytes(this.child.pid ?? 0, name);
  }

  async end(): Promise<Ended> {
    return this.ended;
  }

  async kill(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }
}

async function megabytes(pid: number | string, name: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024;
}
