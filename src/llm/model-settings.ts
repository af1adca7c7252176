import { ConfigurationError } from '../config/read-settings.js';
import type { Settings } from '../config/settings.js';
import { Invalid } from '../errors/index.js';
import { parseModelName, PROVIDERS, type ModelName, type ProviderName } from '../providers/providers.js';
import { factsOf } from './model-catalogue.js';

/** Sampling parameters as the wire names them; absent ones are not sent. */
interface Sampling {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly stop?: string | readonly string[];
  readonly seed?: number;
  readonly presence_penalty?: number;
  readonly frequency_penalty?: number;
  readonly reasoning_effort?: string;
}

/** Everything an adapter needs to know of one model. */
export interface ModelSettings {
  readonly provider: ProviderName;
  readonly name: string;
  readonly apiKey: string | null;
  /** Address of the API; null where there is no model. */
  readonly apiBase: string | null;
  /** Whether `apiBase` came with a request, and so has to be checked before anything connects to it. */
  readonly foreignBase: boolean;
  /** Whether what the provider says of a failure may stand in the log: not when a request brought key, headers or address. */
  readonly logsWords: boolean;
  /** Azure only; null: the version of the address, or the usual one. */
  readonly apiVersion: string | null;
  readonly deployment: string | null;
  /** Deadline of one completion, retries included. */
  readonly timeoutMs: number;
  readonly retries: number;
  readonly extraHeaders: Readonly<Record<string, string>>;
  readonly vision: boolean;
  readonly contextWindow: number;
  readonly maxTokens: number | null;
  readonly sampling: Sampling;
}

/** `llm_config` of a request, validated; absent members leave the configured model's as they are. */
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

/** Retries after the first attempt, as the official clients do. */
const RETRIES = 2;

const NONE: ModelName = { provider: 'extractive', name: 'extractive' };

/**
 * The model that LLM_* configures.
 * @throws ConfigurationError when its provider has no usual address and none is given.
 */
export function configuredModel(settings: Settings): ModelSettings {
  const { provider, name } = readModelName(settings.LLM_MODEL, 'openai');
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
    logsWords: true,
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

const LOC = ['body', 'llm_config'] as const;

/**
 * The configured model with a request's `llm_config` over it. The server's own key stays with the address it was
 * configured for: another address or provider gets the request's key, or none.
 * @throws Invalid when a key or an address is missing, or the provider cannot be told.
 */
export function withConfig(configured: ModelSettings, config: LlmConfig): ModelSettings {
  const { provider, name } = namedModel(configured, config);
  const changesProvider = provider !== configured.provider;
  const usualBase = changesProvider ? PROVIDERS[provider].base : configured.apiBase;
  const namesBase = config.apiBase !== undefined && !sameAddress(config.apiBase, configured.apiBase);
  const apiBase = namesBase ? (config.apiBase ?? null) : usualBase;
  const movesAway = changesProvider || namesBase;
  const apiKey = config.apiKey ?? (movesAway ? null : configured.apiKey);
  if (provider !== 'extractive' && apiBase === null) {
    throw Invalid.at([...LOC, 'api_base'], `Field required: ${provider} has no usual address`, 'missing');
  }
  if (apiKey === null && movesAway && PROVIDERS[provider].needsKey) {
    throw Invalid.at(
      [...LOC, 'api_key'],
      'Field required: the key of the service goes to its own provider only',
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
    // The usual address of Ollama or LM Studio is on this machine: a request names it no more than any other there.
    foreignBase: namesBase || (changesProvider && apiBase !== null && !PROVIDERS[provider].needsKey),
    logsWords: config.apiKey === undefined && config.extraHeaders === undefined && !movesAway,
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

function namedModel(configured: ModelSettings, { model }: LlmConfig): ModelName {
  if (model === undefined) return configured;
  const named = readModelName(model, configured.provider);
  if (named.provider === 'extractive' && named.name !== 'extractive') {
    throw Invalid.at([...LOC, 'model'], 'needs a provider prefix, such as openai/gpt-4o-mini');
  }
  return named;
}

/** A name without a known prefix belongs to `fallback` as a whole, slashes included (`meta-llama/Llama-3.3-70B`). */
function readModelName(text: string, fallback: ProviderName): ModelName {
  if (text === NONE.name) return NONE;
  return parseModelName(text, 'completion') ?? { provider: fallback, name: text };
}

function sameAddress(a: string, b: string | null): boolean {
  if (b === null || !URL.canParse(a) || !URL.canParse(b)) return false;
  const bare = (address: string): string => new URL(address).href.replace(/\/+$/, '');
  return bare(a) === bare(b);
}
