import type { WorkerOptions } from 'node:worker_threads';
import type { OnApplicationShutdown } from '@nestjs/common';
import { ModelThread } from './model-thread.js';
import type { ModelInput, TokenInput } from './text-model.messages.js';

interface RunOptions {
  /** Somebody waits for the answer: it goes before everything that is not urgent. */
  readonly urgent?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The bundled text model in two worker threads: one for what is urgent, and one of lower priority for everything else,
 * so that a question does not even wait for the text that is being embedded. The second one starts with its first use.
 */
export class LocalTextModel implements OnApplicationShutdown {
  private readonly urgent: ModelThread;
  private readonly patient: ModelThread;

  /** @param folder of the model's files. */
  constructor(folder: string, workerOptions: WorkerOptions = {}) {
    this.urgent = new ModelThread({ folder, background: false }, workerOptions);
    this.patient = new ModelThread({ folder, background: true }, workerOptions);
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
  embed(texts: readonly string[], options: RunOptions = {}): Promise<Float32Array[]> {
    return this.run(texts, options);
  }

  /**
   * Vectors of length 1 of the tokens of each text, row by row, at least one a text; a text is read to 65,536 characters.
   * @throws as {@link embed}.
   */
  embedTokens(inputs: readonly TokenInput[], options: RunOptions = {}): Promise<Float32Array[]> {
    return this.run(inputs, options);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.urgent.close(), this.patient.close()]);
  }

  private async run(
    inputs: readonly ModelInput[],
    { urgent = false, signal }: RunOptions,
  ): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    if (inputs.length === 0) return [];
    return (urgent ? this.urgent : this.patient).run(inputs, signal);
  }
}
