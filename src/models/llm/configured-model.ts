import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Invalid, type Location } from '../../errors/index.js';
import { operatorFetch, refusedAddress } from '../providers/operator-address.js';
import { trustedFetch, type Fetch } from '../providers/fetch.js';
import { Cached } from '../../request/cached.js';
import { modelId, type LanguageModel } from './language-model.js';
import {
  environmentModel,
  modelNamed,
  sendSameKey,
  withConfig,
  type LlmConfig,
  type ModelSettings,
} from './model-settings.js';
import { NoLanguageModel } from './no-language-model.js';
import { OpenAiModel } from './openai-model.js';
import { withProvider, type Place } from './provider-of.js';
import { RuntimeModelRepository, type RuntimeModel } from './runtime-model.repository.js';

/** The default model of requests, with its source. */
export interface ModelInUse {
  /** `runtime`: an operator connected the model while the service runs. */
  readonly source: 'environment' | 'runtime';
  readonly settings: ModelSettings;
  /** The key stored with a runtime model; null: the key of the environment, or no key. */
  readonly ownKey: string | null;
  readonly model: LanguageModel;
  /** Sends requests to the model's address. */
  readonly fetch: Fetch;
  /** Time at which the model was connected; null for the model of the environment. */
  readonly savedAt: Date | null;
  /** The reason why the stored model is not in use; null if the stored model is in use, or if no model is stored. */
  readonly problem: string | null;
}

/** Lifetime of the stored model in memory, in milliseconds. Other processes use a change after at most this time. */
export const MODEL_TTL_MS = 1_000;

const LOST_KEY =
  'The stored key of the model cannot be decrypted, because JWT_SECRET has changed since it was saved. Connect the model again';

/**
 * The configured language model: the model of LLM_*, or a model that an operator connected at runtime. The model is
 * read from the database again after {@link MODEL_TTL_MS}, so that every process uses a change without a restart.
 */
@Injectable()
export class ConfiguredModel {
  private readonly logger = new Logger('Model');
  readonly environment: ModelInUse;
  private readonly latest = new Cached(MODEL_TTL_MS, () => this.read());
  /**
   * The most recently read model. While its version is unchanged, this object is reused, with its connections and
   * cached health check.
   */
  private known: { readonly version: string; readonly inUse: ModelInUse } | undefined;

  /** @throws ConfigurationError if the provider of LLM_MODEL has no default address and LLM_API_BASE is not set. */
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly stored: RuntimeModelRepository,
  ) {
    this.environment = inEnvironment(settings);
  }

  get(): Promise<ModelInUse> {
    return this.settings.RUNTIME_SETTINGS ? this.latest.get() : Promise.resolve(this.environment);
  }

  /**
   * Builds the model that {@link connect} would put into use. Adds the provider to a name without one. If no key is given, uses the stored key or the key of the
   * environment, provided that this key was configured for the same provider and address.
   * @throws Invalid at a member of the body when the model cannot be connected.
   */
  async candidate(asked: RuntimeModel): Promise<ModelInUse> {
    const stored = await this.stored.find();
    const given = { ...asked, model: withProvider(asked, this.placesWith(stored)) };
    const isSame =
      stored !== null && sendSameKey(this.environment.settings, configOf(stored), configOf(given));
    return this.inUse({ ...given, apiKey: given.apiKey ?? (isSame ? stored.apiKey : null) }, null);
  }

  /** @throws Invalid like {@link candidate}. */
  async connect(given: RuntimeModel): Promise<void> {
    const { settings, ownKey, model } = await this.candidate(given);
    await this.stored.save({ ...given, model: modelId(model), apiBase: settings.apiBase, apiKey: ownKey });
    this.latest.forget();
  }

  async disconnect(): Promise<void> {
    await this.stored.delete();
    this.latest.forget();
  }

  private placesWith(stored: RuntimeModel | null): [Place, ...Place[]] {
    const own = this.environment.settings;
    if (stored === null) return [own];
    return [own, { provider: modelNamed(stored.model, own.provider).provider, apiBase: stored.apiBase }];
  }

  private async read(): Promise<ModelInUse> {
    const stored = await this.stored.find();
    if (stored === null) return this.environment;
    if (this.known?.version !== stored.version) {
      const inUse = stored.isKeyLost ? this.unusable(LOST_KEY) : this.usable(stored, stored.savedAt);
      this.known = { version: stored.version, inUse };
    }
    return this.known.inUse;
  }

  /**
   * Builds the stored model. Falls back to the model of the environment if the stored model is no longer valid, because
   * the settings of the environment have changed.
   */
  private usable(stored: RuntimeModel, savedAt: Date): ModelInUse {
    try {
      return this.inUse(stored, savedAt);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      return this.unusable(`The stored model cannot be used: ${error.message}. Connect it again`);
    }
  }

  private unusable(problem: string): ModelInUse {
    this.logger.warn(`${problem}. Until then, the model of the environment is used`);
    return { ...this.environment, problem };
  }

  private inUse(runtime: RuntimeModel, savedAt: Date | null): ModelInUse {
    const loc: Location = ['body'];
    const merged = withConfig(this.environment.settings, configOf(runtime), loc);
    const reason = merged.apiBase === null ? null : refusedAddress(merged.apiBase);
    if (reason !== null) throw Invalid.at([...loc, 'api_base'], `Value error, ${reason}`);
    const settings = { ...merged, foreignBase: false, logsMessages: true };
    const model = modelOf(settings, operatorFetch);
    return {
      source: 'runtime',
      settings,
      ownKey: runtime.apiKey,
      model,
      fetch: operatorFetch,
      savedAt,
      problem: null,
    };
  }
}

/**
 * The model that the settings LLM_MODEL, LLM_API_KEY, LLM_API_BASE and so on describe.
 * @throws ConfigurationError if the provider has no default address and LLM_API_BASE is not set.
 */
export function inEnvironment(settings: Settings): ModelInUse {
  const own = environmentModel(settings);
  return {
    source: 'environment',
    settings: own,
    ownKey: null,
    model: modelOf(own, trustedFetch),
    fetch: trustedFetch,
    savedAt: null,
    problem: null,
  };
}

/** @param fetch sends requests to the provider and enforces the allowed addresses. */
export function modelOf(settings: ModelSettings, fetch: Fetch): LanguageModel {
  return settings.provider === 'extractive'
    ? new NoLanguageModel(settings)
    : new OpenAiModel(settings, fetch);
}

function configOf({ model, apiBase, apiKey, contextWindow }: RuntimeModel): LlmConfig {
  return {
    model,
    sampling: {},
    ...(apiBase === null ? {} : { apiBase }),
    ...(apiKey === null ? {} : { apiKey }),
    ...(contextWindow === null ? {} : { contextWindow }),
  };
}
