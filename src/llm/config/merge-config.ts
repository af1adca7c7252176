import { Invalid } from '../../errors/index.js';
import { factsOf } from '../model-catalogue.js';
import type { ModelSettings } from '../model-settings.js';
import { parseModelName, PROVIDERS, type ModelName } from '../providers.js';
import type { LlmConfig } from './llm-config.js';

const LOC = ['body', 'llm_config'] as const;

/**
 * The configured model with a request's `llm_config` over it. The server's own key stays with the address it was
 * configured for: another address or provider gets the request's key, or none.
 * @throws Invalid when a key or an address is missing, or the provider cannot be told.
 */
export function mergeConfig(configured: ModelSettings, config: LlmConfig): ModelSettings {
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
    logsProviderWords: config.apiKey === undefined && config.extraHeaders === undefined && !movesAway,
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
  const named = parseModelName(model, configured.provider);
  if (named.provider === 'extractive' && named.name !== 'extractive') {
    throw Invalid.at([...LOC, 'model'], 'needs a provider prefix, such as openai/gpt-4o-mini');
  }
  return named;
}

function sameAddress(a: string, b: string | null): boolean {
  if (b === null || !URL.canParse(a) || !URL.canParse(b)) return false;
  const bare = (address: string): string => new URL(address).href.replace(/\/+$/, '');
  return bare(a) === bare(b);
}
