import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Niceness of threads that nobody waits for: about a tenth of the share of one that answers a request. */
const NICENESS = 10;

/**
 * Lets the threads that answer requests go before the calling thread and those that it starts from now on. Linux gives
 * every thread a priority of its own; elsewhere this does nothing.
 */
export function workInBackground(): void {
  if (process.platform !== 'linux') return;
  const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1)); // <process>/task/<thread>
  setPriority(thread, NICENESS);
}
