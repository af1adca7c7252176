import { once } from 'node:events';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { workerScript } from '../../../config/package-root.js';
import { ConfigurationError } from '../../../config/read-settings.js';
import { Unavailable } from '../../../errors/index.js';
import './onnx-runtime.js'; // disables telemetry before a thread loads the runtime
import type { ModelThreadData } from './text-model.js';

interface Pending {
  readonly resolve: (vector: Float32Array) => void;
  readonly reject: (reason: Error) => void;
}

const loading = new Set<Promise<unknown>>();

/**
 * Waits until no thread is loading a model. The native runtime aborts a process that exits while a model is loading.
 */
export async function modelsLoaded(): Promise<void> {
  await Promise.allSettled(loading);
}

/**
 * A worker thread with a model. Starts on first use or with `start`, and restarts on the next use after a crash.
 */
export class ModelThread {
  private readonly logger = new Logger(ModelThread.name);
  private worker: Promise<Worker> | undefined;
  private closed = false;
  /** Pending requests, oldest first. The worker answers in the order of the texts. */
  private readonly pending: Pending[] = [];

  constructor(
    private readonly data: ModelThreadData,
    private readonly workerOptions: WorkerOptions,
  ) {}

  /**
   * Loads the model.
   * @throws ConfigurationError when this machine cannot run the model.
   */
  async start(): Promise<void> {
    await this.running();
  }

  /**
   * Returns the vector of a text, of length 1.
   * @throws Unavailable when the worker crashes; the abort reason of `signal` if it is aborted before the text is sent.
   */
  async run(text: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    const worker = await this.running();
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      this.pending.push({ resolve, reject });
      worker.postMessage(text);
    });
  }

  /** Ends the thread and rejects pending requests. */
  async close(): Promise<void> {
    this.closed = true;
    const worker = await this.worker?.catch(() => undefined); // a failed start leaves nothing to close
    if (worker === undefined) return;
    const exited = once(worker, 'exit');
    worker.postMessage(null);
    await exited;
  }

  private running(): Promise<Worker> {
    if (this.closed) throw new Unavailable('The service is shutting down', 1);
    this.worker ??= this.launch().catch((error: unknown) => {
      this.worker = undefined;
      throw error;
    });
    return this.worker;
  }

  private async launch(): Promise<Worker> {
    const worker = new Worker(workerScript('models/embedding/local/text-model.worker.js'), {
      ...this.workerOptions,
      workerData: this.data,
    });
    const loaded = once(worker, 'message');
    loading.add(loaded);
    try {
      await loaded;
    } catch (error) {
      throw cannotStart(error, this.data.name);
    } finally {
      loading.delete(loaded);
    }
    worker.on('message', (answer: Float32Array | string) => {
      const waiting = this.pending.shift();
      if (typeof answer === 'string') waiting?.reject(new Error(`The text model failed: ${answer}`));
      else waiting?.resolve(answer);
    });
    worker.on('error', (error) => {
      this.logger.error(`The text model stopped: ${String(error)}`); // 'exit' follows and rejects pending requests
    });
    worker.on('exit', () => {
      this.worker = undefined;
      const left = this.pending.splice(0);
      for (const { reject } of left) {
        reject(new Unavailable('The text model stopped and restarts with the next request', 1));
      }
    });
    return worker;
  }
}

/** The native runtime supports only Linux (glibc), macOS and Windows on common processors. */
function cannotStart(error: unknown, model: string): ConfigurationError {
  const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  return new ConfigurationError([
    `The local model ${model} cannot run here (${process.platform}-${process.arch}: ${reason ?? ''}): use an embedding endpoint with EMBEDDING_MODEL, EMBEDDING_API_BASE and EMBEDDING_API_KEY`,
  ]);
}
