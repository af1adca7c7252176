import type { Settings } from '../config/settings.js';
import { factsOf } from './model-catalogue.js';
import { parseModelName, PROVIDERS, type ProviderName } from './providers.js';

/** Sampling parameters as the wire names them; absent ones are not sent. */
export interface Sampling {
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
  /** Address of the API; null for the embedded default, or when none is known. */
  readonly apiBase: string | null;
  /** Whether `apiBase` came with a request, and so has to be checked before anything connects to it. */
  readonly foreignBase: boolean;
  /** Whether what the provider says of a failure may stand in the log: not when a request brought key, headers or address. */
  readonly logsProviderWords: boolean;
  /** Azure only. */
  readonly apiVersion: string;
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

/** Retries after the first attempt, as the official clients do. */
const RETRIES = 2;

/** A version that every Azure resource of the last years serves. */
export const AZURE_API_VERSION = '2024-10-21';

/** The model that LLM_* configures. */
export function configuredModel(settings: Settings): ModelSettings {
  const { provider, name } = parseModelName(settings.LLM_MODEL, 'openai');
  const facts = factsOf(provider, name);
  return {
    provider,
    name,
    apiKey: settings.LLM_API_KEY ?? null,
    apiBase: settings.LLM_API_BASE ?? PROVIDERS[provider].base,
    foreignBase: false,
    logsProviderWords: true,
    apiVersion: AZURE_API_VERSION,
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
