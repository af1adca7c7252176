import { Inject, Injectable, Logger } from '@nestjs/common';
import { isOperator, type Scope } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Forbidden, LecternError } from '../../errors/index.js';
import { ConfiguredModel, modelOf, type ModelInUse } from '../llm/configured-model.js';
import { listedModels, type ListedModel } from '../llm/listed-models.js';
import { knownWindow, UNKNOWN_WINDOW } from '../llm/model-catalogue.js';
import type { ModelSettings } from '../llm/model-settings.js';
import { modelId, type CompletionRequest, type LanguageModel } from '../llm/language-model.js';
import { NoLanguageModel } from '../llm/no-language-model.js';
import type { RuntimeModel } from '../llm/runtime-model.repository.js';
import type { ProviderName } from '../providers/providers.js';
import { currentSignal } from '../../request/request-context.js';

export interface ModelTest {
  readonly isOk: boolean;
  readonly message: string;
  readonly durationMs: number;
  /** In tokens; null if it is neither given nor known. */
  readonly contextWindow: number | null;
}

export interface ProviderModels {
  readonly isOk: boolean;
  readonly message: string;
  readonly provider: ProviderName;
  readonly models: readonly ListedModel[];
}

/**
 * Maximum duration of a test in milliseconds. It is long because a local model may have to be loaded from disk first.
 */
const MAX_TEST_MS = 60_000;

const NO_MODELS = 'The provider lists no models. Load one there, or enter its name';

const MAX_LIST_MS = 10_000;

/** Stands for the model when only its provider counts. */
const ANY_MODEL = 'any';

const TEST: CompletionRequest = {
  messages: [{ role: 'user', content: 'Answer with the word OK.' }],
  format: { kind: 'text' },
  maxTokens: null,
  temperature: null,
};

/** Connects and tests the language model of the installation. All methods need an admin key of the default tenant. */
@Injectable()
export class ModelSettingsService {
  private readonly logger = new Logger('Model');

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly configured: ConfiguredModel,
  ) {}

  get isChangeable(): boolean {
    return this.settings.RUNTIME_SETTINGS;
  }

  get environment(): ModelInUse {
    return this.configured.environment;
  }

  async inUse(scope: Scope): Promise<ModelInUse> {
    requireOperator(scope);
    return this.configured.get();
  }

  /**
   * Stores a model and puts it into use. Does not call the model.
   * @throws Invalid if the settings of the model are not valid.
   */
  async connect(scope: Scope, given: RuntimeModel): Promise<ModelInUse> {
    this.requireChange(scope);
    await this.configured.connect(given);
    return this.changed(scope);
  }

  async disconnect(scope: Scope): Promise<ModelInUse> {
    this.requireChange(scope);
    await this.configured.disconnect();
    return this.changed(scope);
  }

  /**
   * Requests an answer from a model and stops at the first token. A failure of the model is a result of the test and
   * not an error.
   * @param given the model to test; null for the model in use
   */
  async test(scope: Scope, given: RuntimeModel | null): Promise<ModelTest> {
    this.requireChange(scope);
    const { settings, fetch } =
      given === null ? await this.configured.get() : await this.configured.candidate(given);
    const contextWindow = given === null ? settings.contextWindow : windowOf(settings, given);
    const timeoutMs = Math.min(settings.timeoutMs, MAX_TEST_MS);
    const model = modelOf({ ...settings, timeoutMs, retries: 0 }, fetch);
    if (model instanceof NoLanguageModel) {
      return { isOk: true, message: 'No language model: answers quote the best passages', durationMs: 0, contextWindow };
    }
    const begin = performance.now();
    const failure = await firstToken(model).catch((error: unknown) => {
      if (error instanceof LecternError) return error;
      throw error;
    });
    const durationMs = Math.round(performance.now() - begin);
    if (failure === null) {
      const seconds = (durationMs / 1_000).toFixed(1);
      return { isOk: true, message: `${model.name} answered in ${seconds} seconds`, durationMs, contextWindow };
    }
    this.logger.warn({ err: failure, model: model.name }, 'the test of a model failed');
    return { isOk: false, message: failure.message, durationMs, contextWindow };
  }

  /**
   * Lists the models of a provider. A failure of the provider is a result and not an error.
   * @param model a model of the provider, with its prefix; null: the provider follows from the address or, without one,
   * is the provider in use
   */
  async list(
    scope: Scope,
    access: Omit<RuntimeModel, 'model'>,
    model: string | null,
  ): Promise<ProviderModels> {
    this.requireChange(scope);
    const { settings, fetch } =
      model === null && access.apiBase === null && access.apiKey === null
        ? await this.configured.get()
        : await this.configured.candidate({ ...access, model: model ?? ANY_MODEL });
    const { provider } = settings;
    if (provider === 'extractive') {
      return { isOk: false, message: 'Enter the address of a server of models', provider, models: [] };
    }
    try {
      const models = await listedModels(settings, fetch, MAX_LIST_MS, currentSignal());
      const count = models.length;
      const message = count === 1 ? 'The provider lists one model' : `The provider lists ${count} models`;
      return { isOk: count > 0, message: count === 0 ? NO_MODELS : message, provider, models };
    } catch (error) {
      if (!(error instanceof LecternError)) throw error;
      this.logger.warn({ err: error, provider }, 'the models of a provider could not be listed');
      return { isOk: false, message: error.message, provider, models: [] };
    }
  }

  private async changed({ keyId }: Scope): Promise<ModelInUse> {
    const inUse = await this.configured.get();
    this.logger.log({ model: modelId(inUse.model), source: inUse.source, keyId }, 'the model was changed');
    return inUse;
  }

  private requireChange(scope: Scope): void {
    requireOperator(scope);
    if (this.isChangeable) return;
    throw new Forbidden('The model is set by LLM_MODEL only: RUNTIME_SETTINGS=false');
  }
}

function requireOperator(scope: Scope): void {
  if (isOperator(scope)) return;
  throw new Forbidden(
    'Only an admin key of the default tenant may see and change the model of the installation',
  );
}

function windowOf({ provider, name, contextWindow }: ModelSettings, given: RuntimeModel): number | null {
  const isAssumed = contextWindow === UNKNOWN_WINDOW && given.contextWindow === null;
  return isAssumed ? knownWindow(provider, name) : contextWindow;
}

/** Waits for the first token of a model. @returns null @throws the error of the model. */
async function firstToken(model: LanguageModel): Promise<null> {
  // Leaving the loop closes the connection, so that the provider stops generating.
  for await (const event of model.stream(TEST)) if (event.type !== 'end') break;
  return null;
}
