import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * Pings a service every 50 ms from a separate process until `work` is done.
 * @returns the response times in milliseconds
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
