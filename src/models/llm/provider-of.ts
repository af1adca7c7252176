import { Invalid } from '../../errors/index.js';
import { parseModelName, prefixesOf, PROVIDERS, type ProviderName } from '../providers/providers.js';
import { sameAddress, type ModelSettings } from './model-settings.js';

/** An address and the provider that is called there. */
export type Place = Pick<ModelSettings, 'provider' | 'apiBase'>;

/** A server with OpenAI's format that needs no key and may have one. */
const ANY_SERVER: ProviderName = 'hosted_vllm';

/** Ports that servers of models have unless they are set otherwise. */
const PORTS: Readonly<Record<string, ProviderName>> = {
  '11434': 'ollama_chat',
  '1234': 'lm_studio',
  '4000': 'litellm_proxy',
};

const NAMES: readonly (readonly [RegExp, ProviderName])[] = [
  [/^(gpt-(?!oss)|chatgpt-|o\d)/i, 'openai'],
  [/^claude/i, 'anthropic'],
  [/^gemini/i, 'gemini'],
  [/^grok/i, 'xai'],
  [/^deepseek-(chat|reasoner)/i, 'deepseek'],
  [/^(mistral-(large|medium|small)|ministral|magistral|codestral|pixtral)/i, 'mistral'],
];

/**
 * Adds the provider to a name without one: the provider of the address or, without an address, of the environment or of
 * a well-known name.
 * @param places addresses in use, with their providers; the first is that of the environment
 * @throws Invalid if nothing tells the provider.
 */
export function withProvider(
  { model, apiBase }: { readonly model: string; readonly apiBase: string | null },
  places: readonly [Place, ...Place[]],
): string {
  if (model === 'extractive' || parseModelName(model, 'completion') !== null) return model;
  const provider = apiBase === null ? byName(model, places[0]) : byAddress(apiBase, places);
  if (provider !== null) return `${provider}/${model}`;
  const words = 'Value error, needs its provider (such as openai/my-model) or the address of its server';
  throw Invalid.at(['body', 'model'], words);
}

function byName(model: string, { provider, apiBase }: Place): ProviderName | null {
  const isOwnAddress = provider !== 'extractive' && !sameAddress(apiBase, PROVIDERS[provider].base);
  if (isOwnAddress) return provider;
  const known = NAMES.find(([pattern]) => pattern.test(model))?.[1];
  return known ?? (provider === 'extractive' ? null : provider);
}

function byAddress(base: string, places: readonly Place[]): ProviderName {
  const place = places.find(({ provider, apiBase }) => provider !== 'extractive' && sameAddress(apiBase, base));
  if (place !== undefined) return place.provider;
  if (!URL.canParse(base)) return ANY_SERVER; // its check comes later
  const { hostname, port } = new URL(base);
  if (hostname.endsWith('.openai.azure.com')) return 'azure';
  const vendor = prefixesOf('completion').find((one) => {
    const { base: usual, needsKey } = PROVIDERS[one];
    return usual !== null && needsKey && new URL(usual).hostname === hostname;
  });
  return vendor ?? PORTS[port] ?? ANY_SERVER;
}
