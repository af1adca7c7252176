import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { packageRoot } from '../../../src/index.js';

export interface RunningService {
  readonly url: string;
  /** @throws Error if the service exits or takes too long. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 100;

/** Starts the built service with embedded defaults and its data in `folder`. */
export async function startService(folder: string): Promise<RunningService> {
  const port = await usablePort(8000);
  const child = spawn(process.execPath, [join(packageRoot, 'dist', 'main.js')], {
    env: { PATH: process.env['PATH'], DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    url,
    async ready() {
      const deadline = Date.now() + READY_WITHIN_MS;
      while (!(await isReady(url))) {
        if (isOver()) throw new Error('the service did not start; see its message above');
        if (Date.now() > deadline) throw new Error('the service was not ready in two minutes');
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    },
    async stop() {
      if (isOver()) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`)).ok;
  } catch {
    return false; // the port is not open yet
  }
}

/** The preferred port if it is free, otherwise any free port. */
async function usablePort(wanted: number): Promise<number> {
  return (await freePort(wanted)) ?? (await freePort(0)) ?? wanted;
}

async function freePort(port: number): Promise<number | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : undefined);
      });
    });
  });
}
