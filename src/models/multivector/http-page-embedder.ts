import type { Settings } from '../../config/settings.js';
import { missingCase, ProviderFailed } from '../../errors/index.js';
import { ProviderCalls, type Patience } from '../providers/calls.js';
import { providerClient } from '../providers/client.js';
import { wholeFetch } from '../providers/fetch.js';
import { currentSignal } from '../../request/request-context.js';
import {
  JinaMultiVector,
  LABEL,
  MorphikEmbeddings,
  type MultiVectorServer,
  VllmPooling,
} from './server-formats.js';
import { PageEmbedder, type MultiVector } from './page-embedder.js';

/** Maximum size of a response. Several pages fit, each with two thousand vectors of 320 numbers of 20 characters. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/**
 * Retry limits: short for a query, because a caller waits for it; long for a batch of pages, which may wait for the end
 * of a rate limit.
 */
const PATIENCE = {
  query: { attempts: 3, withinMs: 15_000, timeoutMs: 20_000 },
  pages: { attempts: 6, withinMs: 240_000, timeoutMs: 300_000 },
} as const satisfies Record<string, Patience>;

type MultiVectorSettings = Pick<
  Settings,
  'MULTIVECTOR_API_BASE' | 'MULTIVECTOR_API_KEY' | 'MULTIVECTOR_MODEL' | 'MULTIVECTOR_FORMAT'
>;

/** Adapter for a server with a late-interaction model that reads page images. */
export class HttpPageEmbedder extends PageEmbedder {
  readonly model: string;
  private readonly server: MultiVectorServer;
  private readonly calls: ProviderCalls;
  /** Dimensions of every vector, known from the first response on. */
  private dims: number | undefined;

  constructor(
    settings: MultiVectorSettings,
    private readonly patience: Readonly<Record<'query' | 'pages', Patience>> = PATIENCE,
  ) {
    super();
    const { MULTIVECTOR_API_KEY: apiKey = null, MULTIVECTOR_FORMAT: format } = settings;
    const name = settings.MULTIVECTOR_MODEL ?? '';
    this.model = `${format}/${name}`;
    this.server = serverOf(settings, name);
    this.calls = new ProviderCalls({
      kind: 'multivector',
      label: LABEL,
      model: name,
      apiKey,
      logsMessages: false,
    });
  }

  embedPages(images: readonly Uint8Array[]): Promise<MultiVector[]> {
    return this.calls.inBatches(
      images,
      this.server.imagesPerCall,
      (batch, signal) =>
        this.ask((ended) => this.server.images(batch, 'page', ended), this.patience.pages, signal),
      currentSignal(),
    );
  }

  embedQuery(query: string): Promise<MultiVector> {
    return this.first(async (ended) => [await this.server.question(query, ended)]);
  }

  embedImage(image: Uint8Array): Promise<MultiVector> {
    return this.first((ended) => this.server.images([image], 'question', ended));
  }

  private async first(send: (signal: AbortSignal) => Promise<readonly MultiVector[]>): Promise<MultiVector> {
    const [vectors] = await this.ask(send, this.patience.query, currentSignal());
    if (vectors === undefined) throw new ProviderFailed(`${LABEL} returned no vectors`);
    return vectors;
  }

  private async ask(
    send: (signal: AbortSignal) => Promise<readonly MultiVector[]>,
    patience: Patience,
    signal: AbortSignal | undefined,
  ): Promise<readonly MultiVector[]> {
    const answered = await this.calls.run(send, patience, signal);
    for (const { dims } of answered) {
      this.dims ??= dims;
      if (dims === this.dims) continue;
      throw new ProviderFailed(`${LABEL} returned vectors of ${dims} dimensions instead of ${this.dims}`);
    }
    return answered;
  }
}

function serverOf(settings: MultiVectorSettings, name: string): MultiVectorServer {
  const { MULTIVECTOR_API_BASE: base = '', MULTIVECTOR_API_KEY: key } = settings;
  // The configured URL may already include the path of the endpoint (`/embeddings` or `/pooling`).
  const apiBase = base.replace(/\/*(\/embeddings|\/pooling)?\/*$/, '');
  const clientOf = (address: string) =>
    providerClient({ provider: null, apiBase: address, apiKey: key ?? null }, wholeFetch(MAX_ANSWER_BYTES));
  switch (settings.MULTIVECTOR_FORMAT) {
    case 'vllm':
      return new VllmPooling(clientOf(apiBase.replace(/\/v1$/, '')), name);
    case 'jina':
      return new JinaMultiVector(clientOf(apiBase), name);
    case 'morphik':
      return new MorphikEmbeddings(clientOf(apiBase));
    default:
      return missingCase(settings.MULTIVECTOR_FORMAT);
  }
}
