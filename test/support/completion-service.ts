import { startFakeEmbeddings, type FakeEmbeddings } from './fake-embeddings.mjs';
import { FakeProvider } from './fake-provider/fake-provider.js';
import { Service } from './service.js';

/** The built service with a fake model provider and fake embeddings. */
export class CompletionService {
  private constructor(
    readonly service: Service,
    /** The provider at LLM_API_BASE. */
    readonly provider: FakeProvider,
    private readonly embeddings: FakeEmbeddings,
  ) {}

  /** @param environment variables that override the settings for the fakes */
  static async start(environment: Readonly<Record<string, string>> = {}): Promise<CompletionService> {
    const [provider, embeddings] = await Promise.all([
      FakeProvider.start(),
      startFakeEmbeddings({ dimensions: DIMENSIONS }),
    ]);
    const service = await Service.start({
      LLM_MODEL: 'hosted_vllm/plain',
      LLM_API_BASE: provider.url,
      LLM_API_KEY: SERVER_KEY,
      EMBEDDING_MODEL: 'openai/fake',
      EMBEDDING_API_BASE: embeddings.url,
      EMBEDDING_API_KEY: 'none',
      EMBEDDING_DIMENSIONS: String(DIMENSIONS),
      ...environment,
    });
    return new CompletionService(service, provider, embeddings);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await Promise.all([this.provider.close(), this.embeddings.close()]);
  }
}

/** A small number of dimensions, so that long documents are stored quickly. */
const DIMENSIONS = 16;

/** The service's own key for its provider. */
export const SERVER_KEY = 'sk-own-key-of-the-service';
