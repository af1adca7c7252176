import { parentPort } from 'node:worker_threads';
import { encodedPage } from '../page-encoding.js';
import { maxSim, prepared } from './max-sim.js';
import type { Job, Reply, Request, Result } from './messages.js';

/** On a thread of its own: some ten milliseconds a question and a page, which the event loop must not spend. */
function done(job: Job): Result {
  if (job.kind === 'encode') return { kind: 'encode', page: encodedPage(job.page) };
  const ready = prepared(job.question);
  const scores = Float64Array.from(job.pages, (page) =>
    maxSim(ready, new Int8Array(page.buffer, page.byteOffset, page.byteLength)),
  );
  return { kind: 'score', scores };
}

parentPort?.on('message', ({ id, job }: Request) => {
  parentPort?.postMessage({ id, result: done(job) } satisfies Reply);
});
