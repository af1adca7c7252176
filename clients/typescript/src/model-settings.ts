import type { Client } from 'openapi-fetch';
import { answered } from './answer.js';
import type { paths } from './schema.js';
import type {
  CallOptions,
  ConnectModelRequest,
  InstalledModel,
  ListModelsRequest,
  ModelTest,
  ProviderModels,
  TestModelRequest,
} from './types.js';

/** The language model of the installation, for its administrators. */
export class ModelSettings {
  constructor(private readonly raw: Client<paths>) {}

  /** The model in use, without its key. */
  get({ signal }: CallOptions = {}): Promise<InstalledModel> {
    return answered(this.raw.GET('/settings/model', { signal: signal ?? null }));
  }

  /** Connects a model. Every process of the service uses it within seconds. */
  connect(request: ConnectModelRequest, { signal }: CallOptions = {}): Promise<InstalledModel> {
    return answered(this.raw.PUT('/settings/model', { body: request, signal: signal ?? null }));
  }

  /** Disconnects the model. The service then uses LLM_MODEL again. */
  disconnect({ signal }: CallOptions = {}): Promise<InstalledModel> {
    return answered(this.raw.DELETE('/settings/model', { signal: signal ?? null }));
  }

  /**
   * Tests a model with a request for one token: the given model or, if none is given, the model in use. Does not
   * connect the model.
   */
  test(request: TestModelRequest = {}, { signal }: CallOptions = {}): Promise<ModelTest> {
    return answered(this.raw.POST('/settings/model/test', { body: request, signal: signal ?? null }));
  }

  /** Lists the models of a provider: of the given address or, if none is given, of the model in use. */
  list(request: ListModelsRequest = {}, { signal }: CallOptions = {}): Promise<ProviderModels> {
    return answered(this.raw.POST('/settings/model/list', { body: request, signal: signal ?? null }));
  }
}
