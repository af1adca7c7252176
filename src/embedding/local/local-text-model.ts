import type { WorkerOptions } from 'node:worker_threads';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { LocalModel } from '../../config/local-models.js';
import { knownModel } from '../known-models.js';
import { cosine } from '../unit-length.js';
import { modelFolder } from './model-folder.js';
import { ModelThread } from './model-thread.js';

interface RunOptions {
  /** Somebody waits for the answer: it goes before everything that is not urgent. */
  readonly urgent?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A text model of this machine in two worker threads: one for what is urgent, and one for everything else,
 * so that a question does not even wait for the text that is being embedded. The second one starts with its first use.
 */
export class LocalTextModel implements OnApplicationShutdown {
  private readonly urgent: ModelThread;
  private readonly patient: ModelThread;

  /** @throws ConfigurationError when the model is not installed. */
  constructor(
    readonly model: LocalModel,
    workerOptions: WorkerOptions = {},
  ) {
    const data = { ...model, folder: modelFolder(model) };
    this.urgent = new ModelThread(data, workerOptions);
    this.patient = new ModelThread(data, workerOptions);
  }

  /**
   * Loads the model.
   * @throws ConfigurationError when this machine cannot run it.
   */
  async start(): Promise<void> {
    await this.urgent.start();
  }

  /**
   * Vectors of length 1, one a text, in order; a text is cut at what the model reads. Two texts of a caller are on their
   * way at a time: the thread does not wait for the next one, and callers take turns.
   * @throws Unavailable when the worker died meanwhile; the reason of `signal` when it was aborted.
   */
  async embed(
    texts: readonly string[],
    { urgent = false, signal }: RunOptions = {},
  ): Promise<Float32Array[]> {
    const thread = urgent ? this.urgent : this.patient;
    const vectors: Float32Array[] = [];
    const rest = entriesOf(texts);
    const inTurn = async (): Promise<void> => {
      for (const [index, text] of rest) vectors[index] = await thread.run(text, signal);
    };
    await Promise.all([inTurn(), inTurn()]);
    return vectors;
  }

  /**
   * How near texts are to questions that a caller waits for: 1 for the same, about 0 for nothing in common, on the scale
   * of the English model's cosines whatever the model is.
   * @returns for each question the nearness of each text
   */
  async nearness(
    questions: readonly string[],
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<number[][]> {
    const { queryPrefix = '', documentPrefix = '', cosineFloor = -1 } = knownModel(this.model.name);
    const vectors = await this.embed(
      [
        ...questions.map((question) => `${queryPrefix}${question}`),
        ...texts.map((text) => `${documentPrefix}${text}`),
      ],
      { urgent: true, signal },
    );
    const ofTexts = vectors.slice(questions.length);
    return vectors
      .slice(0, questions.length)
      .map((asked) =>
        ofTexts.map((vector) => (2 * (cosine(asked, vector) - cosineFloor)) / (1 - cosineFloor) - 1),
      );
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.urgent.close(), this.patient.close()]);
  }
}

/** For several loops that share them: when one is left early, the others end too. */
function* entriesOf(texts: readonly string[]): Generator<[number, string]> {
  yield* texts.entries();
}
