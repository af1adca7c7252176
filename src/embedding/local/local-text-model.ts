import type { WorkerOptions } from 'node:worker_threads';
import type { OnApplicationShutdown } from '@nestjs/common';
import { ModelThread } from './model-thread.js';

interface RunOptions {
  /** Somebody waits for the answer: it goes before everything that is not urgent. */
  readonly urgent?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The bundled text model in two worker threads: one for what is urgent, and one for everything else,
 * so that a question does not even wait for the text that is being embedded. The second one starts with its first use.
 */
export class LocalTextModel implements OnApplicationShutdown {
  private readonly urgent: ModelThread;
  private readonly patient: ModelThread;

  /** @param folder of the model's files. */
  constructor(folder: string, workerOptions: WorkerOptions = {}) {
    this.urgent = new ModelThread({ folder }, workerOptions);
    this.patient = new ModelThread({ folder }, workerOptions);
  }

  /**
   * Loads the model.
   * @throws ConfigurationError when this machine cannot run it.
   */
  async start(): Promise<void> {
    await this.urgent.start();
  }

  /**
   * Vectors of length 1, one a text, in order; a text is cut at 256 word pieces.
   * @throws Unavailable when the worker died meanwhile; the reason of `signal` when it was aborted.
   */
  async embed(
    texts: readonly string[],
    { urgent = false, signal }: RunOptions = {},
  ): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    if (texts.length === 0) return [];
    return (urgent ? this.urgent : this.patient).run(texts, signal);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.urgent.close(), this.patient.close()]);
  }
}
