import type { WorkerOptions } from 'node:worker_threads';
import type { OnApplicationShutdown } from '@nestjs/common';
import { ModelThread } from './model-thread.js';
import type { RunRequest, TextModelReply, TokenVectors } from './text-model.messages.js';

export interface RunOptions {
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
   * Vectors of length 1, one a text, in order.
   * @throws Unavailable when the worker died meanwhile; the reason of `signal` when it was aborted.
   */
  async embed(texts: readonly string[], options: RunOptions = {}): Promise<Float32Array[]> {
    const reply = await this.run('text-vectors', texts, options);
    return reply?.type === 'vectors' ? [...reply.vectors] : [];
  }

  /** The vectors of every token of each text; a text is cut at 256 word pieces. @throws as `embed`. */
  async tokenVectors(texts: readonly string[], options: RunOptions = {}): Promise<TokenVectors[]> {
    const reply = await this.run('token-vectors', texts, options);
    return reply?.type === 'token-vectors' ? [...reply.texts] : [];
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.urgent.close(), this.patient.close()]);
  }

  private async run(
    output: RunRequest['output'],
    texts: readonly string[],
    { urgent = false, signal }: RunOptions,
  ): Promise<TextModelReply | undefined> {
    signal?.throwIfAborted();
    if (texts.length === 0) return undefined;
    return (urgent ? this.urgent : this.patient).run(output, texts, signal);
  }
}
