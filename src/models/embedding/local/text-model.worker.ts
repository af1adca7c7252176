import { parentPort, workerData } from 'node:worker_threads';
import { loadOnnxRuntime } from './onnx-runtime.js';
import { type ModelThreadData, TextModel } from './text-model.js';

/**
 * Runs a local text model in a separate thread, off the event loop of the service. A message is a text. The answer is a
 * vector or an error message, in the order of the texts. A null message ends the thread.
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
