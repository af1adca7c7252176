import { ConfigurationError } from '../../config/read-settings.js';
import type { Settings } from '../../config/settings.js';
import { Invalid, type Location } from '../../errors/index.js';
import { parseModelName, PROVIDERS, type ModelName, type ProviderName } from '../providers/providers.js';
import { factsOf } from './model-catalogue.js';

/** Sampling parameters under their API names. Absent parameters are not sent. */
interface Sampling {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly stop?: string | readonly string[];
  readonly seed?: number;
  readonly presence_penalty?: number;
  readonly frequency_penalty?: number;
  readonly reasoning_effort?: string;
}

export interface ModelSettings {
  readonly provider: ProviderName;
  readonly name: string;
  readonly apiKey: string | null;
  /** Base URL of the API; null without a model. */
  readonly apiBase: string | null;
  /** Whether a request chose `apiBase`, so that the address must be checked before a connection. */
  readonly foreignBase: boolean;
  /** Whether provider error messages may be logged. False when the request supplies key, headers or address. */
  readonly logsMessages: boolean;
  /** API version, for Azure only; null: the version in the base URL, or else the default. */
  readonly apiVersion: string | null;
  readonly deployment: string | null;
  /** Deadline of one completion in milliseconds, including retries. */
  readonly timeoutMs: number;
  readonly retries: number;
  readonly extraHeaders: Readonly<Record<string, string>>;
  readonly vision: boolean;
  readonly contextWindow: number;
  readonly maxTokens: number | null;
  readonly sampling: Sampling;
}

/** Validated `llm_config` of a request. Absent members keep the configured values. */
export interface LlmConfig {
  readonly model?: string;
  readonly apiKey?: string;
  readonly apiBase?: string;
  readonly apiVersion?: string;
  readonly deployment?: string;
  readonly maxTokens?: number;
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly extraHeaders?: Readonly<Record<string, string>>;
  readonly vision?: boolean;
  readonly contextWindow?: number;
  readonly sampling: Sampling;
}

/** Default number of retries, as in the official clients. */
const RETRIES = 2;

const NONE: ModelName = { provider: 'extractive', name: 'extractive' };

/**
 * Reads the model settings from LLM_*.
 * @throws ConfigurationError when the provider has no default address and LLM_API_BASE is unset.
 */
export function environmentModel(settings: Settings): ModelSettings {
  const { provider, name } = modelNamed(settings.LLM_MODEL, 'openai');
  const apiBase = settings.LLM_API_BASE ?? PROVIDERS[provider].base;
  if (apiBase === null && provider !== 'extractive') {
    throw new ConfigurationError([`LLM_API_BASE is required with ${provider}/`]);
  }
  const facts = factsOf(provider, name);
  return {
    provider,
    name,
    apiKey: settings.LLM_API_KEY ?? null,
    apiBase,
    foreignBase: false,
    logsMessages: true,
    apiVersion: null,
    deployment: null,
    timeoutMs: settings.LLM_TIMEOUT_MS,
    retries: RETRIES,
    extraHeaders: {},
    vision: settings.LLM_VISION === undefined ? facts.vision : settings.LLM_VISION === 'true',
    contextWindow: settings.LLM_CONTEXT_WINDOW ?? facts.contextWindow,
    maxTokens: null,
    sampling: {},
  };
}

/**
 * Applies an `llm_config` to the configured model. The configured API key is sent only to the configured provider and
 * address. Any other provider or address gets the key in `config`, or no key.
 * @param loc location of the members of `config` in the request
 * @throws Invalid when a key, an address or the provider is missing.
 */
export function withConfig(
  configured: ModelSettings,
  config: LlmConfig,
  loc: Location = ['body', 'llm_config'],
): ModelSettings {
  const { provider, name } = namedModel(configured, config, loc);
  const changesProvider = provider !== configured.provider;
  const apiBase = addressIn(configured, provider, config);
  const changesAddress = apiBase !== null && apiBase !== configured.apiBase;
  const namesBase = config.apiBase !== undefined && changesAddress;
  const movesAway = changesProvider || namesBase;
  const apiKey = config.apiKey ?? (movesAway ? null : configured.apiKey);
  if (provider !== 'extractive' && apiBase === null) {
    throw Invalid.at([...loc, 'api_base'], `Field required: ${provider} has no default address`, 'missing');
  }
  if (apiKey === null && movesAway && PROVIDERS[provider].needsKey) {
    throw Invalid.at(
      [...loc, 'api_key'],
      'Field required: the configured key is sent only to the provider and address that it was configured for',
      'missing',
    );
  }
  const keepsModel = !changesProvider && name === configured.name;
  const facts = keepsModel ? configured : factsOf(provider, name);
  return {
    provider,
    name,
    apiKey,
    apiBase,
    // The default addresses of providers without a key, such as Ollama, are on this machine, so these addresses need
    // the same check as any other address.
    foreignBase: namesBase || (changesAddress && changesProvider && !PROVIDERS[provider].needsKey),
    logsMessages: config.apiKey === undefined && config.extraHeaders === undefined && !movesAway,
    apiVersion: config.apiVersion ?? configured.apiVersion,
    deployment: config.deployment ?? (keepsModel ? configured.deployment : null),
    timeoutMs: Math.min(config.timeoutMs ?? configured.timeoutMs, configured.timeoutMs),
    retries: config.retries ?? configured.retries,
    extraHeaders: { ...config.extraHeaders },
    vision: config.vision ?? facts.vision,
    contextWindow: config.contextWindow ?? facts.contextWindow,
    maxTokens: config.maxTokens ?? configured.maxTokens,
    sampling: { ...configured.sampling, ...config.sampling },
  };
}

/**
 * Whether two configs result in the same provider and address, so that the key of one config may be used for the other
 * config.
 */
export function sendSameKey(configured: ModelSettings, one: LlmConfig, other: LlmConfig): boolean {
  const a = endpointOf(configured, one);
  const b = endpointOf(configured, other);
  return a.provider === b.provider && sameAddress(a.apiBase, b.apiBase);
}

function endpointOf(
  configured: ModelSettings,
  config: LlmConfig,
): Pick<ModelSettings, 'provider' | 'apiBase'> {
  const { provider } = namedModel(configured, config, ['body']);
  return { provider, apiBase: addressIn(configured, provider, config) };
}

/**
 * Returns the address that a config results in: `api_base`, or the address of the provider. Another spelling of the
 * configured address results in the configured address.
 */
function addressIn(configured: ModelSettings, provider: ProviderName, { apiBase }: LlmConfig): string | null {
  const usual = provider === configured.provider ? configured.apiBase : PROVIDERS[provider].base;
  const address = apiBase ?? usual;
  return sameAddress(address, configured.apiBase) ? configured.apiBase : address;
}

function namedModel(configured: ModelSettings, { model }: LlmConfig, loc: Location): ModelName {
  if (model === undefined) return configured;
  const named = modelNamed(model, configured.provider);
  if (named.provider === 'extractive' && named.name !== 'extractive') {
    throw Invalid.at([...loc, 'model'], 'needs a provider prefix, such as openai/gpt-4o-mini');
  }
  return named;
}

/**
 * Parses a model name. Without a known prefix, the text is the name of a model of `fallback`
 * (`meta-llama/Llama-3.3-70B`).
 */
export function modelNamed(text: string, fallback: ProviderName): ModelName {
  if (text === NONE.name) return NONE;
  return parseModelName(text, 'completion') ?? { provider: fallback, name: text };
}

export function sameAddress(a: string | null, b: string | null): boolean {
  if (a === null || b === null || !URL.canParse(a) || !URL.canParse(b)) return false;
  const bare = (address: string): string => new URL(address).href.replace(/\/+$/, '');
  return bare(a) === bare(b);
}
