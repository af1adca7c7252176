import { parentPort } from 'node:worker_threads';
import type { MaxSimReply, MaxSimRequest } from './max-sim.messages.js';
import { maxSim, prepared } from './max-sim.js';

/** Scores pages on a thread of its own: some ten milliseconds a question, which the event loop must not spend. */
parentPort?.on('message', ({ id, question, pages }: MaxSimRequest) => {
  const ready = prepared(question);
  const scores = Float64Array.from(pages, (page) =>
    maxSim(ready, new Int8Array(page.buffer, page.byteOffset, page.byteLength)),
  );
  parentPort?.postMessage({ id, scores } satisfies MaxSimReply, [scores.buffer]);
});
