import type { Client } from 'openapi-fetch';
import { answered } from './answer.js';
import type { paths } from './schema.js';
import type {
  CallOptions,
  ConnectModelRequest,
  InstalledModel,
  ModelTest,
  TestModelRequest,
} from './types.js';

/** The language model of the installation, for its administrators. */
export class ModelSettings {
  constructor(private readonly raw: Client<paths>) {}

  /** The model in use, without its key. */
  get({ signal }: CallOptions = {}): Promise<InstalledModel> {
    return answered(this.raw.GET('/settings/model', { signal: signal ?? null }));
  }

  /** Every process of the service uses the model within seconds. */
  connect(request: ConnectModelRequest, { signal }: CallOptions = {}): Promise<InstalledModel> {
    return answered(this.raw.PUT('/settings/model', { body: request, signal: signal ?? null }));
  }

  /** Returns to the model of the environment. */
  disconnect({ signal }: CallOptions = {}): Promise<InstalledModel> {
    return answered(this.raw.DELETE('/settings/model', { signal: signal ?? null }));
  }

  /** Asks a model for one token: the model in use, or the given one before it is connected. */
  test(request: TestModelRequest = {}, { signal }: CallOptions = {}): Promise<ModelTest> {
    return answered(this.raw.POST('/settings/model/test', { body: request, signal: signal ?? null }));
  }
}
