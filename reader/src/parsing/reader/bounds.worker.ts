import { workerData } from 'node:worker_threads';
import { BUSY, IDLE, spent, TIME_IS_UP, type Watched } from './bounds.js';

const { megabytes, state, until } = workerData as Watched;

/** The interval is short, because the memory of a decompressing decoder grows by about 500 MB/s. */
const CHECK_INTERVAL_MS = 10;
const MEGABYTE = 2 ** 20;

for (;;) {
  Atomics.wait(state, 0, IDLE);
  while (Atomics.wait(state, 0, BUSY, CHECK_INTERVAL_MS) === 'timed-out') {
    if (process.memoryUsage.rss() > megabytes * MEGABYTE) process.kill(process.pid, 'SIGKILL');
    const [processor = 0, clock = 0] = until;
    if (spent() > processor || Date.now() > clock) process.kill(process.pid, TIME_IS_UP);
  }
}
