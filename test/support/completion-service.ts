import { startFakeEmbeddings, type FakeEmbeddings } from './fake-embeddings.mjs';
import { FakeProvider } from './fake-provider/fake-provider.js';
import { Service } from './service.js';
import { type Kind, type Served, SharedService } from './shared-service.js';

/** The built service with a fake model provider and fake embeddings. */
export class CompletionService<S extends Served = Service> {
  private constructor(
    readonly service: S,
    /** The provider at LLM_API_BASE. */
    readonly provider: FakeProvider,
    private readonly embeddings: FakeEmbeddings,
  ) {}

  /** @param environment variables that override the settings for the fakes */
  static async start(environment: Readonly<Record<string, string>> = {}): Promise<CompletionService> {
    const [provider, embeddings] = await startFakes();
    const service = await Service.start({ ...settingsFor(provider.url, embeddings.url), ...environment });
    return new CompletionService(service, provider, embeddings);
  }

  /** A new tenant of the service that all files of a worker share, and new fakes for its models. */
  static async shared(): Promise<CompletionService<SharedService>> {
    const { service, fakes } = await SharedService.enterWith(WITH_MODELS, startFakes);
    return new CompletionService(service, ...fakes);
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

function startFakes([port = 0, otherPort = 0]: readonly number[] = []): Promise<
  [FakeProvider, FakeEmbeddings]
> {
  return Promise.all([
    FakeProvider.start('127.0.0.1', port),
    startFakeEmbeddings({ port: otherPort, dimensions: DIMENSIONS }),
  ]);
}

const settingsFor = (provider: string, embeddings: string): Readonly<Record<string, string>> => ({
  LLM_MODEL: 'hosted_vllm/plain',
  LLM_API_BASE: provider,
  LLM_API_KEY: SERVER_KEY,
  EMBEDDING_MODEL: 'openai/fake',
  EMBEDDING_API_BASE: embeddings,
  EMBEDDING_API_KEY: 'none',
  EMBEDDING_DIMENSIONS: String(DIMENSIONS),
});

const WITH_MODELS: Kind = {
  name: 'models',
  ports: 2,
  environment: ([provider = 0, embeddings = 0]) =>
    settingsFor(`http://127.0.0.1:${provider}/v1`, `http://127.0.0.1:${embeddings}/v1`),
};
