import { availableParallelism } from 'node:os';
import type { WorkerOptions } from 'node:worker_threads';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { LocalModel } from '../../../config/local-models.js';
import { knownModel, type KnownModel, DEFAULT_COSINE_FLOOR } from '../known-models.js';
import { cosine } from '../unit-length.js';
import { modelFolder } from './model-folder.js';
import { ModelPool, TEXTS_PER_THREAD } from './model-pool.js';
import { ModelThread } from './model-thread.js';
import { observedCall } from '../../providers/observed-call.js';
import { currentSignal } from '../../../request/request-context.js';
import { Embedder } from '../embedder.js';
import { LazyReadability, type Unreadable } from '../readability.js';
import { LanguageMonitor } from '../unsupported-language.js';

interface RunOptions {
  /** Whether the text has priority over background texts. */
  readonly urgent?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A local text model: a thread for urgent texts, and a pool of threads for background texts, so that a question never
 * waits for a running background text.
 */
export class LocalTextModel implements OnApplicationShutdown {
  readonly facts: KnownModel;
  private readonly urgent: ModelThread;
  private readonly background: ModelPool;

  /**
   * @param threads maximum number of background threads
   * @throws ConfigurationError when the model is not installed.
   */
  constructor(
    readonly model: LocalModel,
    threads: number = availableParallelism(),
    workerOptions: WorkerOptions = {},
  ) {
    this.facts = knownModel(model.name);
    const data = { ...model, folder: modelFolder(model) };
    this.urgent = new ModelThread({ ...data, cores: 2 }, workerOptions);
    this.background = new ModelPool(threads, { ...data, cores: 1 }, workerOptions);
  }

  /**
   * Loads the model.
   * @throws ConfigurationError when this machine cannot run the model.
   */
  async start(): Promise<void> {
    await this.urgent.start();
  }

  /**
   * Returns one vector of length 1 for each text, in order. Truncates texts to the model's maximum length. Each call keeps
   * two texts in flight for each thread, so that no thread is idle and concurrent calls alternate.
   * @throws Unavailable when the worker crashes; the abort reason of `signal`.
   */
  async embed(
    texts: readonly string[],
    { urgent = false, signal }: RunOptions = {},
  ): Promise<Float32Array[]> {
    const { runner, loops } = urgent
      ? { runner: this.urgent, loops: TEXTS_PER_THREAD }
      : { runner: this.background, loops: this.background.size * TEXTS_PER_THREAD };
    const vectors: Float32Array[] = [];
    const rest = entriesOf(texts);
    const inTurn = async (): Promise<void> => {
      for (const [index, text] of rest) vectors[index] = await runner.run(text, signal);
    };
    await Promise.all(Array.from({ length: loops }, inTurn));
    return vectors;
  }

  /**
   * Returns the similarity of each text to each question: 1 for equal texts, about 0 for unrelated texts. The scale is
   * the same for every model: cosines are mapped from [cosineFloor, 1] to [-1, 1].
   * @returns a list for each question, with the similarity of each text
   */
  async similarities(
    questions: readonly string[],
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<number[][]> {
    const { queryPrefix = '', documentPrefix = '', cosineFloor = -1 } = this.facts;
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
    await Promise.all([this.urgent.close(), this.background.close()]);
  }
}

/** Returns an iterator that several loops share. An early exit of one loop ends the other loops. */
function* entriesOf(texts: readonly string[]): Generator<[number, string]> {
  yield* texts.entries();
}

/** Adapter to a local text model. Truncates texts to the model's maximum length. */
export class LocalEmbedder extends Embedder {
  readonly model: string;
  readonly dimensions: number;
  private readonly languageMonitor = new LanguageMonitor(this);

  private constructor(
    private readonly textModel: LocalTextModel,
    private readonly readability: LazyReadability,
    private readonly prefixes: { readonly query: string; readonly document: string },
    readonly cosineFloor: number,
  ) {
    super();
    this.model = `local/${textModel.model.name}`;
    this.dimensions = textModel.model.dimensions;
  }

  /**
   * Loads the model.
   * @param floor cosine floor; overrides the model's known floor
   * @throws ConfigurationError when this machine cannot run the model.
   */
  static async start(textModel: LocalTextModel, floor?: number): Promise<LocalEmbedder> {
    const { queryPrefix: query = '', documentPrefix: document = '', ...known } = textModel.facts;
    await textModel.start();
    const readability = new LazyReadability(textModel.model.tokenizer, known.english ? 'every' : 'latin');
    const cosineFloor = floor ?? known.cosineFloor ?? DEFAULT_COSINE_FLOOR;
    return new LocalEmbedder(textModel, readability, { query, document }, cosineFloor);
  }

  unreadable(question: string): Promise<Unreadable> {
    return this.readability.unreadable(question);
  }

  async embedDocuments(texts: readonly string[]): Promise<Float32Array[]> {
    await this.languageMonitor.sample(texts);
    const signal = currentSignal();
    const passages = texts.map((text) => `${this.prefixes.document}${text}`);
    return observedCall('embedding', signal, () => this.textModel.embed(passages, { signal }));
  }

  async embedQuery(text: string): Promise<Float32Array> {
    const signal = currentSignal();
    const [vector] = await observedCall('embedding', signal, () =>
      this.textModel.embed([`${this.prefixes.query}${text}`], { urgent: true, signal }),
    );
    if (vector === undefined) throw new Error('The text model returned no vector');
    return vector;
  }
}
