import { parentPort, workerData, type Transferable } from 'node:worker_threads';
import { JobQueue } from './job-queue.js';
import { loadOnnxRuntime } from './onnx-runtime.js';
import type { ModelThreadData, RunRequest, TextModelReply, TextModelRequest } from './text-model.messages.js';
import { TextModel } from './text-model.js';

/**
 * Runs a local text model on a thread of its own: it keeps the cores busy, and the event loop of the service must
 * not. Requests wait in a queue here, a text at a time.
 */
interface Job extends RunRequest {
  readonly vectors: Float32Array[];
}

const model = await TextModel.load(await loadOnnxRuntime(), workerData as ModelThreadData);
const queue = new JobQueue<Job>();
let running = false;
let closing = false;

parentPort?.on('message', (request: TextModelRequest) => {
  if (request.type === 'run') {
    queue.add({ ...request, vectors: [] });
    if (!running) void run();
  } else if (request.type === 'cancel') {
    queue.remove(request.id);
  } else {
    closing = true;
    queue.clear();
    if (!running) void close();
  }
});
reply({ type: 'started' });

/** The runtime starts every run from `setImmediate`, so messages that came meanwhile are read between two texts. */
async function run(): Promise<void> {
  running = true;
  for (let job = queue.next(); job !== undefined; job = queue.next()) {
    try {
      await runNextText(job);
    } catch (error) {
      queue.remove(job.id);
      reply({ type: 'failed', id: job.id, message: String(error) });
    }
  }
  running = false;
  if (closing) await close();
}

async function close(): Promise<void> {
  await model.release();
  parentPort?.close();
}

async function runNextText(job: Job): Promise<void> {
  const { id, texts, vectors } = job;
  vectors.push(await model.textVector(texts[vectors.length] ?? ''));
  if (vectors.length < texts.length) return;
  queue.remove(id);
  reply(
    { type: 'vectors', id, vectors },
    vectors.map((vector) => vector.buffer as ArrayBuffer),
  );
}

function reply(message: TextModelReply, transfer: Transferable[] = []): void {
  parentPort?.postMessage(message, transfer);
}
