import { parentPort, workerData } from 'node:worker_threads';
import { loadOnnxRuntime } from './onnx-runtime.js';
import { type ModelThreadData, TextModel } from './text-model.js';

/**
 * Runs a local text model on a thread of its own: it keeps the cores busy, and the event loop of the service must not.
 * A message is a text, and its answer a vector, or in words why there is none; null ends the thread. Answers keep the
 * order of the texts.
 */
const model = await TextModel.load(await loadOnnxRuntime(), workerData as ModelThreadData);
let last = Promise.resolve();

parentPort?.on('message', (text: string | null) => {
  last = last.then(() => (text === null ? close() : answer(text)));
});
parentPort?.postMessage('started');

async function answer(text: string): Promise<void> {
  try {
    const vector = await model.textVector(text);
    parentPort?.postMessage(vector, [vector.buffer as ArrayBuffer]);
  } catch (error) {
    parentPort?.postMessage(String(error));
  }
}

async function close(): Promise<void> {
  await model.release();
  parentPort?.close();
}
