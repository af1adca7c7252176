import type { OpenAI } from 'openai';
import { ConfigurationError } from '../../config/read-settings.js';
import type { Settings } from '../../config/settings.js';
import { ProviderFailed } from '../../errors/index.js';
import { ProviderCalls, type Patience } from '../providers/calls.js';
import { providerClient, type Endpoint } from '../providers/client.js';
import { UnusableAnswer } from '../providers/failures.js';
import { wholeFetch } from '../providers/fetch.js';
import { parseModelName, prefixesOf, PROVIDERS, type ProviderName } from '../providers/providers.js';
import { currentSignal } from '../../request/request-context.js';
import { modelTokens } from '../../telemetry/metrics.js';
import { Embedder } from './embedder.js';
import { knownModel, DEFAULT_COSINE_FLOOR, type KnownModel } from './known-models.js';
import { LazyReadability, type Unreadable } from './readability.js';
import { toUnitLength } from './unit-length.js';
import { embed, PROVIDER_LABEL, type TextUse, wireFormat } from './wire-formats.js';

/** Maximum size of a response. The largest batch has 2,048 vectors of 4,000 numbers with 20 characters each. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Retry limits. A query is interactive; a batch of documents may wait for a rate limit to end. */
const PATIENCE = {
  query: { attempts: 3, withinMs: 15_000, timeoutMs: 20_000 },
  document: { attempts: 6, withinMs: 240_000, timeoutMs: 120_000 },
} as const satisfies Record<TextUse, Patience>;

type EmbeddingSettings = Pick<
  Settings,
  | 'EMBEDDING_MODEL'
  | 'EMBEDDING_API_BASE'
  | 'EMBEDDING_API_KEY'
  | 'EMBEDDING_DIMENSIONS'
  | 'EMBEDDING_BATCH_SIZE'
  | 'EMBEDDING_COSINE_FLOOR'
>;

/** Adapter to an embedding endpoint, in the wire format of its provider. */
export class HttpEmbedder extends Embedder {
  readonly model: string;
  readonly cosineFloor: number;
  private readonly client: OpenAI;
  private readonly calls: ProviderCalls;
  private readonly remoteModel: string;
  private readonly format: ReturnType<typeof wireFormat>;
  private readonly batchSize: number;
  private length: number | undefined;
  /**
   * Whether to send `dimensions`. It is sent only for a vector length other than the default, because some models
   * reject this parameter.
   */
  private shortens: boolean;

  private constructor(
    settings: EmbeddingSettings,
    private readonly patience: Readonly<Record<TextUse, Patience>>,
    private readonly known: KnownModel,
    private readonly readability: LazyReadability,
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
    this.format = wireFormat(PROVIDERS[endpoint.provider].embeds);
    this.batchSize = Math.min(settings.EMBEDDING_BATCH_SIZE, this.format.maxTexts);
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
    patience: Readonly<Record<TextUse, Patience>> = PATIENCE,
  ): Promise<HttpEmbedder> {
    const known = knownModel(embeddingEndpoint(settings).name);
    const embedder = new HttpEmbedder(settings, patience, known, readabilityOf(known));
    if (embedder.length === undefined) {
      const [vector] = await embedder.vectors(['dimensions'], 'query');
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
      (batch, signal) => this.vectors(batch, 'document', signal),
      currentSignal(),
    );
  }

  async embedQuery(text: string): Promise<Float32Array> {
    const texts = [`${this.known.queryPrefix ?? ''}${text}`];
    const [vector] = await this.vectors(texts, 'query', currentSignal());
    if (vector === undefined) throw unusable('no vector');
    return vector;
  }

  unreadable(question: string): Promise<Unreadable> {
    return this.readability.unreadable(question);
  }

  private async vectors(
    texts: readonly string[],
    use: TextUse,
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    const patience = this.patience[use];
    const vectors = await this.calls.run((ended) => this.send(texts, use, ended), patience, signal);
    if (this.length === undefined || vectors.every((vector) => vector.length === this.length)) return vectors;
    if (!this.shortens) {
      this.shortens = true;
      return this.vectors(texts, use, signal);
    }
    const lengths = [...new Set(vectors.map((vector) => vector.length))].join(', ');
    throw new ProviderFailed(
      `${PROVIDER_LABEL} returned vectors of ${lengths} dimensions instead of ${this.length}; see EMBEDDING_DIMENSIONS`,
    );
  }

  private async send(texts: readonly string[], use: TextUse, signal: AbortSignal): Promise<Float32Array[]> {
    const dimensions = this.shortens ? this.length : undefined;
    const input = { model: this.remoteModel, texts, use, dimensions };
    const { vectors, tokens } = await embed(this.client, this.format, input, signal);
    if (typeof tokens === 'number' && tokens > 0)
      modelTokens.inc({ kind: 'embedding', direction: 'input' }, tokens);
    return vectors.map(unitVector);
  }
}

/**
 * Chooses the readability check. The vocabulary of a hosted multilingual model is unknown, so o200k_base approximates
 * this vocabulary.
 */
function readabilityOf({ english }: KnownModel): LazyReadability {
  return english
    ? new LazyReadability('word-piece', 'every')
    : new LazyReadability('byte-pair', 'identifiers');
}

/**
 * Resolves the endpoint of EMBEDDING_MODEL. A name without a known prefix is sent unchanged to EMBEDDING_API_BASE
 * (`BAAI/bge-m3`). A name without a prefix is a model of OpenAI if no EMBEDDING_API_BASE is set.
 *
 * @throws ConfigurationError that names a missing setting.
 */
export function embeddingEndpoint(
  settings: Pick<Settings, 'EMBEDDING_MODEL' | 'EMBEDDING_API_BASE' | 'EMBEDDING_API_KEY'>,
): Endpoint & { readonly name: string; readonly provider: ProviderName } {
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

/** @throws UnusableAnswer unless the value is a list of numbers with a direction. */
function unitVector(embedding: unknown): Float32Array {
  if (!Array.isArray(embedding)) throw unusable('an item without a vector');
  const vector = Float32Array.from(embedding as number[]);
  if (!toUnitLength(vector)) throw unusable('a vector without a direction');
  return vector;
}

function unusable(content: string): UnusableAnswer {
  return new UnusableAnswer(`${PROVIDER_LABEL} returned ${content}`);
}
