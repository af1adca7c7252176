import type { OpenAI } from 'openai';
import { ConfigurationError } from '../../config/read-settings.js';
import type { Settings } from '../../config/settings.js';
import { ProviderFailed } from '../../errors/index.js';
import { ProviderCalls, type Patience } from '../providers/calls.js';
import { providerClient, type Endpoint } from '../providers/client.js';
import { itemsInOrder, UnusableAnswer } from '../providers/failures.js';
import { wholeFetch } from '../providers/fetch.js';
import { parseModelName, prefixesOf, PROVIDERS } from '../providers/providers.js';
import { currentSignal } from '../../request/request-context.js';
import { modelTokens } from '../../telemetry/metrics.js';
import { Embedder } from './embedder.js';
import { knownModel, DEFAULT_COSINE_FLOOR, type KnownModel } from './known-models.js';
import { Readability, type Unreadable } from './readability.js';
import { toUnitLength } from './unit-length.js';

/** Name of the provider in error messages. */
const PROVIDER_LABEL = 'The embedding provider';

/** Maximum size of a response. The largest batch has 2,048 vectors of 4,000 numbers with 20 characters each. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Retry limits. A query is interactive; a batch of documents may wait for a rate limit to end. */
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
  | 'EMBEDDING_COSINE_FLOOR'
>;

/** Adapter to an OpenAI-compatible embedding endpoint. */
export class OpenAiEmbedder extends Embedder {
  readonly model: string;
  readonly cosineFloor: number;
  private readonly client: OpenAI;
  private readonly calls: ProviderCalls;
  private readonly remoteModel: string;
  private readonly batchSize: number;
  private length: number | undefined;
  /**
   * Whether to send `dimensions`. It is sent only for a vector length other than the default, because some models
   * reject this parameter.
   */
  private shortens: boolean;

  private constructor(
    settings: EmbeddingSettings,
    private readonly patience: Readonly<Record<'query' | 'documents', Patience>>,
    private readonly known: KnownModel,
    private readonly readability: Readability,
  ) {
    super();
    const { name, ...endpoint } = embeddingEndpoint(settings);
    this.model = settings.EMBEDDING_MODEL;
    this.remoteModel = name;
    this.client = providerClient(endpoint, wholeFetch(MAX_ANSWER_BYTES));
    this.calls = new ProviderCalls({
      kind: 'embedding',
      label: PROVIDER_LABEL,
      model: name,
      apiKey: endpoint.apiKey,
      logsMessages: false,
    });
    this.batchSize = settings.EMBEDDING_BATCH_SIZE;
    this.cosineFloor = settings.EMBEDDING_COSINE_FLOOR ?? known.cosineFloor ?? DEFAULT_COSINE_FLOOR;
    this.length = settings.EMBEDDING_DIMENSIONS ?? known.dimensions;
    this.shortens = known.dimensions !== undefined && known.dimensions !== this.length;
  }

  /**
   * Creates an embedder. For an unknown model without EMBEDDING_DIMENSIONS, embeds a sample to determine the vector
   * length.
   *
   * @throws ConfigurationError when a setting is missing; the errors of a call.
   */
  static async connect(
    settings: EmbeddingSettings,
    patience: Readonly<Record<'query' | 'documents', Patience>> = PATIENCE,
  ): Promise<OpenAiEmbedder> {
    const known = knownModel(embeddingEndpoint(settings).name);
    const embedder = new OpenAiEmbedder(settings, patience, known, await readabilityOf(known));
    if (embedder.length === undefined) {
      const [vector] = await embedder.vectors(['dimensions'], patience.query);
      embedder.length = vector?.length;
    }
    return embedder;
  }

  get dimensions(): number {
    return this.length ?? 0;
  }

  embedDocuments(texts: readonly string[]): Promise<Float32Array[]> {
    const { documentPrefix = '' } = this.known;
    return this.calls.inBatches(
      texts.map((text) => `${documentPrefix}${text}`),
      this.batchSize,
      (batch, signal) => this.vectors(batch, this.patience.documents, signal),
      currentSignal(),
    );
  }

  async embedQuery(text: string): Promise<Float32Array> {
    const texts = [`${this.known.queryPrefix ?? ''}${text}`];
    const [vector] = await this.vectors(texts, this.patience.query, currentSignal());
    if (vector === undefined) throw unusable('no vector');
    return vector;
  }

  unreadable(question: string): Unreadable {
    return this.readability.unreadable(question);
  }

  private async vectors(
    texts: readonly string[],
    patience: Patience,
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    const vectors = await this.calls.run((ended) => this.send(texts, ended), patience, signal);
    if (this.length === undefined || vectors.every((vector) => vector.length === this.length)) return vectors;
    if (!this.shortens) {
      this.shortens = true;
      return this.vectors(texts, patience, signal);
    }
    const lengths = [...new Set(vectors.map((vector) => vector.length))].join(', ');
    throw new ProviderFailed(
      `${PROVIDER_LABEL} returned vectors of ${lengths} dimensions instead of ${this.length}; see EMBEDDING_DIMENSIONS`,
    );
  }

  private async send(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const dimensions = this.shortens && this.length !== undefined ? { dimensions: this.length } : {};
    const answer = await this.client.embeddings.create(
      { model: this.remoteModel, input: [...texts], encoding_format: 'float', ...dimensions },
      { signal },
    );
    const tokens: unknown = (answer as Partial<typeof answer>).usage?.prompt_tokens; // some servers report no usage
    if (typeof tokens === 'number' && tokens > 0)
      modelTokens.inc({ kind: 'embedding', direction: 'input' }, tokens);
    return vectorsOf(answer, texts.length);
  }
}

/**
 * Chooses the readability check. The vocabulary of a hosted multilingual model is unknown, so o200k_base approximates
 * this vocabulary.
 */
function readabilityOf({ english }: KnownModel): Promise<Readability> {
  return english ? Readability.of('word-piece', 'every') : Readability.of('byte-pair', 'identifiers');
}

/**
 * Resolves the endpoint of EMBEDDING_MODEL. A name without a known prefix is sent unchanged to EMBEDDING_API_BASE
 * (`BAAI/bge-m3`). A name without a prefix is a model of OpenAI if no EMBEDDING_API_BASE is set.
 *
 * @throws ConfigurationError that names a missing setting.
 */
export function embeddingEndpoint(
  settings: Pick<Settings, 'EMBEDDING_MODEL' | 'EMBEDDING_API_BASE' | 'EMBEDDING_API_KEY'>,
): Endpoint & { readonly name: string } {
  const { EMBEDDING_MODEL: model, EMBEDDING_API_BASE: base, EMBEDDING_API_KEY: key } = settings;
  const known = parseModelName(model, 'embedding');
  if (known === null && model.includes('/') && base === undefined) {
    throw new ConfigurationError([
      `EMBEDDING_MODEL names the provider "${model.replace(/\/.*/s, '')}", which is not one of ${prefixesOf('embedding').join(', ')}: set EMBEDDING_API_BASE to its OpenAI-compatible address`,
    ]);
  }
  const { provider, name } = known ?? { provider: 'openai', name: model };
  const apiBase = base ?? PROVIDERS[provider].base;
  if (apiBase === null) throw new ConfigurationError([`EMBEDDING_API_BASE is required with ${provider}/`]);
  if (key === undefined && base === undefined && PROVIDERS[provider].needsKey) {
    throw new ConfigurationError([`EMBEDDING_API_KEY is required with EMBEDDING_MODEL=${model}`]);
  }
  return { provider, name, apiBase, apiKey: key ?? null };
}

/**
 * Returns the vectors of an answer in the order of the texts, scaled to length 1.
 * @throws UnusableAnswer when the answer does not consist of `count` vectors.
 */
function vectorsOf(answer: unknown, count: number): Float32Array[] {
  const { data } = (answer ?? {}) as { readonly data?: unknown };
  return itemsInOrder(data, count, PROVIDER_LABEL).map(({ embedding }) => {
    if (!Array.isArray(embedding)) throw unusable('an item without a vector');
    const vector = Float32Array.from(embedding as number[]);
    if (!toUnitLength(vector)) throw unusable('a vector without a direction');
    return vector;
  });
}

function unusable(content: string): UnusableAnswer {
  return new UnusableAnswer(`${PROVIDER_LABEL} returned ${content}`);
}
