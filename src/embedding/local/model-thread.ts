import { once } from 'node:events';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { workerScript } from '../../config/package-root.js';
import { ConfigurationError } from '../../config/read-settings.js';
import { Unavailable } from '../../errors/index.js';
import './onnx-runtime.js'; // turns its telemetry off before a thread loads it
import type { ModelThreadData, RunRequest, TextModelReply, TextModelRequest } from './text-model.messages.js';

interface Pending {
  readonly resolve: (vectors: Float32Array[]) => void;
  readonly reject: (reason: Error) => void;
}

const loading = new Set<Promise<unknown>>();

/** Resolves when no thread is loading its model: the native runtime aborts a process that is made to exit meanwhile. */
export async function modelsLoaded(): Promise<void> {
  await Promise.allSettled(loading);
}

/**
 * One worker thread with the model in it. It starts with the first use (or `start`), and starts again with the next use
 * after it died.
 */
export class ModelThread {
  private readonly logger = new Logger(ModelThread.name);
  private worker: Promise<Worker> | undefined;
  private closed = false;
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;

  constructor(
    private readonly data: ModelThreadData,
    private readonly workerOptions: WorkerOptions,
  ) {}

  /**
   * Loads the model.
   * @throws ConfigurationError when this machine cannot run it.
   */
  async start(): Promise<void> {
    await this.running();
  }

  /** @throws Unavailable when the worker died meanwhile; the reason of `signal` when it was aborted. */
  async run(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const worker = await this.running();
    signal?.throwIfAborted();
    return this.answer(worker, { type: 'run', id: ++this.lastId, texts }, signal);
  }

  /** Ends the thread; whoever waits is told. */
  async close(): Promise<void> {
    this.closed = true;
    const worker = await this.worker?.catch(() => undefined); // one that did not start has nothing to close
    if (worker === undefined) return;
    const exited = once(worker, 'exit');
    worker.postMessage({ type: 'close' } satisfies TextModelRequest);
    await exited;
  }

  private answer(
    worker: Worker,
    request: RunRequest,
    signal: AbortSignal | undefined,
  ): Promise<Float32Array[]> {
    const { id } = request;
    return new Promise((resolve, reject) => {
      const forget = (): void => {
        this.pending.delete(id);
        signal?.removeEventListener('abort', leave);
      };
      const fail = (reason: Error): void => {
        forget();
        reject(reason);
      };
      const leave = (): void => {
        worker.postMessage({ type: 'cancel', id } satisfies TextModelRequest);
        fail(signal?.reason as Error);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.pending.set(id, {
        resolve: (vectors) => {
          forget();
          resolve(vectors);
        },
        reject: fail,
      });
      worker.postMessage(request);
    });
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
    const worker = new Worker(workerScript('embedding/local/text-model.worker.js'), {
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
    worker.on('message', (reply: TextModelReply) => {
      this.settle(reply);
    });
    worker.on('error', (error) => {
      this.logger.error(`The text model stopped: ${String(error)}`); // 'exit' follows and tells everyone who waits
    });
    worker.on('exit', () => {
      this.worker = undefined;
      this.failAll();
    });
    return worker;
  }

  private settle(reply: TextModelReply): void {
    if (reply.type === 'started') return;
    const waiting = this.pending.get(reply.id); // absent when the caller left before the cancellation arrived
    if (reply.type === 'failed') waiting?.reject(new Error(`The text model failed: ${reply.message}`));
    else waiting?.resolve([...reply.vectors]);
  }

  private failAll(): void {
    for (const { reject } of this.pending.values()) {
      reject(new Unavailable('The text model stopped; it starts again with the next request', 1));
    }
  }
}

/** The native runtime exists for Linux (glibc), macOS and Windows on the common processors only. */
function cannotStart(error: unknown, model: string): ConfigurationError {
  const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  return new ConfigurationError([
    `The local model ${model} cannot run here (${process.platform}-${process.arch}: ${reason ?? ''}): use an embedding endpoint with EMBEDDING_MODEL, EMBEDDING_API_BASE and EMBEDDING_API_KEY`,
  ]);
}
