import { workerData } from 'node:worker_threads';
import type { WatchOptions } from './process-watch.js';

const { parent, megabytes } = workerData as WatchOptions;

const LOOK_EVERY_MS = 10;
const MEGABYTE = 2 ** 20;

setInterval(() => {
  const isTooLarge = process.memoryUsage.rss() > megabytes * MEGABYTE;
  if (isTooLarge || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, LOOK_EVERY_MS);
