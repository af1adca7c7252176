import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * Asks a service whether it is there, every 50 ms and from a process of its own, until `work` is done.
 * @returns how long the answers took, in ms.
 */
export async function whilePinging(url: string, work: () => Promise<void>): Promise<number[]> {
  const child = spawn(process.execPath, ['test/support/ping-times.mjs', url], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  await lines.next();
  try {
    await work();
  } finally {
    child.stdin.end();
  }
  return JSON.parse(String((await lines.next()).value)) as number[];
}
