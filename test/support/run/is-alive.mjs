import { existsSync, readFileSync } from 'node:fs';

/** Tells whether a process runs; one that has ended and that its parent has not collected does not. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const state = `/proc/${pid}/stat`;
  return !existsSync(state) || !/\) [ZX] /.test(readFileSync(state, 'utf8'));
}
