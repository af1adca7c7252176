import { once } from 'node:events';
import { workInBackground } from '../../config/background-thread.js';
import { failureOf } from '../reader/failures.js';
import { NEXT, type DrawingReply, type DrawnType } from './messages.js';
import type { PageImage } from './page-image.js';
import { watchProcess } from './process-watch.js';

/**
 * Draws the pages of one file, which comes by the standard input, in a process of its own: each when it is asked for.
 * Arguments: what the file is, the pages that are skipped, its bytes, and the megabytes that the process may take.
 */
const [, , type, ...numbers] = process.argv as [string, string, DrawnType, ...string[]];
const [skipped = 0, size = 0, megabytes = 0] = numbers.map(Number);

function reply(message: DrawingReply): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, undefined, (error: Error | null) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

async function received(): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let filled = 0;
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    bytes.set(part, filled);
    filled += part.length;
  }
  return bytes;
}

async function pagesOf(bytes: Uint8Array): Promise<AsyncGenerator<PageImage, void>> {
  if (type === 'pdf') return (await import('./pdf-pages.js')).pagesOfPdf(bytes, skipped);
  return (await import('./picture-pages.js')).pagesOfPicture(bytes, skipped);
}

async function draw(): Promise<void> {
  try {
    for await (const page of await pagesOf(await received())) {
      const asked = once(process, 'message'); // it may come before the reply is known to be sent
      await reply({ kind: 'page', page });
      await asked;
      global.gc?.(); // pixels lie outside of the heap, whose size would not bring it about
    }
    await reply({ kind: 'end' });
  } catch (error) {
    await reply(failureOf(error));
  }
}

workInBackground();
watchProcess(megabytes);
// Whoever asked has gone: there is nobody left to draw for.
process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  if (message !== NEXT) throw new Error('the drawing process was asked for something else than a page');
});
// It ends when it is told to: an end of its own could overtake its last words.
await draw();
