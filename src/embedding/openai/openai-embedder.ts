import { OpenAI } from 'openai';
import pLimit from 'p-limit';
import type { Settings } from '../../config/settings.js';
import { Deadline, LecternError, LinkedAbort, ProviderFailed } from '../../errors/index.js';
import { Embedder } from '../embedder.js';
import { refused } from '../provider/provider-error.js';
import { RateGate } from '../provider/rate-gate.js';
import { TransientFailure, withRetries, type RetryPolicy } from '../provider/retry.js';
import { embeddingsClient } from './embeddings-client.js';
import { PROVIDER, unusable, vectorsOf } from './embeddings-answer.js';
import { knownModel, type KnownModel } from './known-models.js';
import { resolveEndpoint } from './providers.js';

/** Batches on their way at once, over all callers. */
const CONCURRENT_BATCHES = 4;

interface Patience extends RetryPolicy {
  /** Deadline of one call. */
  readonly timeoutMs: number;
}

/** Somebody waits for a query; a batch of documents may sit out a rate limit. */
const PATIENCE = {
  query: { attempts: 3, withinMs: 15_000, timeoutMs: 20_000 },
  documents: { attempts: 6, withinMs: 240_000, timeoutMs: 120_000 },
} as const satisfies Record<string, Patience>;

type EmbeddingSettings = Pick<
  Settings,
  | 'EMBEDDING_MODEL'
  | 'EMBEDDING_API_BASE'
  | 'EMBEDDING_API_KEY'
  | 'EMBEDDING_DIMENSIONS'
  | 'EMBEDDING_BATCH_SIZE'
>;

/** Adapter: any endpoint that speaks the OpenAI embeddings format. */
export class OpenAiEmbedder extends Embedder {
  readonly model: string;
  private readonly client: OpenAI;
  private readonly remoteModel: string;
  private readonly batchSize: number;
  private readonly known: KnownModel;
  private readonly limit = pLimit(CONCURRENT_BATCHES);
  private readonly gate = new RateGate(PROVIDER);
  private length: number | undefined;
  /** Whether `dimensions` is sent: only to a model whose vectors would otherwise have another length. */
  private shortens: boolean;

  private constructor(
    settings: EmbeddingSettings,
    private readonly patience: Readonly<Record<'query' | 'documents', Patience>>,
  ) {
    super();
    const { EMBEDDING_MODEL: name, EMBEDDING_API_BASE: base, EMBEDDING_API_KEY: key } = settings;
    const endpoint = resolveEndpoint(name, base, key);
    this.model = name;
    this.remoteModel = endpoint.model;
    this.client = embeddingsClient(endpoint, key);
    this.batchSize = settings.EMBEDDING_BATCH_SIZE;
    this.known = knownModel(endpoint.model);
    this.length = settings.EMBEDDING_DIMENSIONS ?? this.known.dimensions;
    this.shortens = this.known.dimensions !== undefined && this.known.dimensions !== this.length;
  }

  /**
   * Asks the model for the length of its vectors when neither the settings nor the table of models know it.
   *
   * @throws ConfigurationError when a setting is missing; the errors of a call when the model had to be asked.
   */
  static async connect(
    settings: EmbeddingSettings,
    patience: Readonly<Record<'query' | 'documents', Patience>> = PATIENCE,
  ): Promise<OpenAiEmbedder> {
    const embedder = new OpenAiEmbedder(settings, patience);
    if (embedder.length === undefined) {
      const [vector] = await embedder.call(['dimensions'], patience.query);
      embedder.length = vector?.length;
    }
    return embedder;
  }

  get dimensions(): number {
    return this.length ?? 0;
  }

  async embedDocuments(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const batches: string[][] = [];
    for (let start = 0; start < texts.length; start += this.batchSize) {
      batches.push(
        texts.slice(start, start + this.batchSize).map((text) => `${this.known.documentPrefix ?? ''}${text}`),
      );
    }
    const either = new LinkedAbort(signal);
    try {
      const answers = await Promise.all(
        batches.map((batch) =>
          this.limit(() => this.call(batch, { ...this.patience.documents, signal: either.signal })),
        ),
      );
      return answers.flat();
    } catch (error) {
      either.abort(error); // the other batches are of no use without this one
      throw error;
    } finally {
      either.end();
    }
  }

  async embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array> {
    const [vector] = await this.call([`${this.known.queryPrefix ?? ''}${text}`], {
      ...this.patience.query,
      signal,
    });
    if (vector === undefined) throw unusable('no vector');
    return vector;
  }

  private async call(texts: string[], patience: Patience): Promise<Float32Array[]> {
    const vectors = await withRetries(() => this.send(texts, patience), patience);
    if (this.length === undefined || vectors.every((vector) => vector.length === this.length)) return vectors;
    if (!this.shortens) {
      this.shortens = true;
      return this.call(texts, patience);
    }
    const lengths = [...new Set(vectors.map((vector) => vector.length))].join(', ');
    throw new ProviderFailed(
      `${PROVIDER} answers vectors of ${lengths} dimensions where ${this.length} are expected; see EMBEDDING_DIMENSIONS`,
    );
  }

  private async send(texts: string[], { signal, timeoutMs, withinMs }: Patience): Promise<Float32Array[]> {
    await this.gate.pass(withinMs, signal);
    return vectorsOf(await this.answer(texts, signal, timeoutMs), texts.length);
  }

  private async answer(
    texts: string[],
    signal: AbortSignal | undefined,
    timeoutMs: number,
  ): Promise<unknown> {
    const dimensions = this.shortens && this.length !== undefined ? { dimensions: this.length } : {};
    // Covers the body too, which the client's own does not.
    const deadline = new Deadline(timeoutMs, signal, `${PROVIDER} did not answer in time`);
    try {
      return await this.client.embeddings.create(
        { model: this.remoteModel, input: texts, encoding_format: 'float', ...dimensions },
        { signal: deadline.signal },
      );
    } catch (error) {
      deadline.throwIfOver();
      const explained = this.explained(error);
      if (explained instanceof LecternError && explained.retryAfterSeconds !== undefined) {
        this.gate.shut(explained.retryAfterSeconds);
      }
      throw explained;
    } finally {
      deadline.end();
    }
  }

  private explained(error: unknown): unknown {
    if (error instanceof OpenAI.APIConnectionError) {
      return new TransientFailure(`${PROVIDER} cannot be reached`);
    }
    if (isRefusal(error)) {
      const { status, headers, code } = error;
      return refused({ provider: PROVIDER, model: this.remoteModel, status, headers, code });
    }
    return bodyFailure(error) ?? error;
  }
}

/** An answer other than 2xx, as against a call that got none. */
function isRefusal(error: unknown): error is InstanceType<typeof OpenAI.APIError<number, Headers>> {
  return error instanceof OpenAI.APIError && typeof error.status === 'number';
}

/** What `fetch` throws while it reads a body, told by name: it may come from another realm. */
function bodyFailure(error: unknown): ProviderFailed | undefined {
  const name = typeof error === 'object' && error !== null && 'name' in error ? error.name : undefined;
  if (name === 'SyntaxError') return unusable('something that is not JSON');
  if (name === 'TypeError') return new TransientFailure(`${PROVIDER} broke off its answer`);
  return undefined;
}
