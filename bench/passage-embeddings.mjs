import { parentPort, Worker, isMainThread } from 'node:worker_threads';
import { startFakeEmbeddings } from '../test/support/fake-embeddings.mjs';
import { readPassages, vectorFinder } from './passages.mjs';

/**
 * An OpenAI-compatible embedding endpoint in its own thread. It looks up known vectors, at almost no cost.
 *
 * @returns its address, and `close()`
 */
export async function startPassageEmbeddings() {
  const worker = new Worker(new URL(import.meta.url));
  const url = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  return { url, close: () => worker.terminate() };
}

async function serve() {
  const vectorOf = vectorFinder(await readPassages(() => undefined));
  const { url } = await startFakeEmbeddings({ vectorOf: (text) => Array.from(vectorOf(text)) });
  parentPort.postMessage(url);
}

if (!isMainThread) await serve();
