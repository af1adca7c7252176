/** What is known of a provider from its LiteLLM-style prefix. */
export interface Provider {
  /** Usual address of its OpenAI-compatible API; null when there is none and `api_base` must be given. */
  readonly base: string | null;
  readonly needsKey: boolean;
  /** Whether it counts tokens of streams when asked with `stream_options` (others refuse the parameter). */
  readonly countsStreams: boolean;
}

const hosted = (base: string, countsStreams = true): Provider => ({ base, needsKey: true, countsStreams });
const local = (base: string | null): Provider => ({ base, needsKey: false, countsStreams: true });

/** Providers by prefix. `extractive` is the embedded default and has no address. */
export const PROVIDERS = {
  openai: hosted('https://api.openai.com/v1'),
  azure: { base: null, needsKey: true, countsStreams: true },
  ollama: local('http://localhost:11434/v1'),
  ollama_chat: local('http://localhost:11434/v1'),
  hosted_vllm: local(null),
  lm_studio: local('http://localhost:1234/v1'),
  anthropic: hosted('https://api.anthropic.com/v1'),
  gemini: hosted('https://generativelanguage.googleapis.com/v1beta/openai'),
  groq: hosted('https://api.groq.com/openai/v1'),
  mistral: hosted('https://api.mistral.ai/v1', false),
  deepseek: hosted('https://api.deepseek.com/v1'),
  together_ai: hosted('https://api.together.xyz/v1'),
  openrouter: hosted('https://openrouter.ai/api/v1'),
  xai: hosted('https://api.x.ai/v1'),
  litellm_proxy: local(null),
  extractive: local(null),
} as const satisfies Record<string, Provider>;

export type ProviderName = keyof typeof PROVIDERS;

function isProvider(prefix: string): prefix is ProviderName {
  return Object.hasOwn(PROVIDERS, prefix);
}

export interface ModelName {
  readonly provider: ProviderName;
  readonly name: string;
}

/**
 * Reads `provider/name`. A name without a known prefix belongs to `fallback` as a whole, slashes included
 * (`meta-llama/Llama-3.3-70B`).
 */
export function parseModelName(text: string, fallback: ProviderName): ModelName {
  if (text === 'extractive') return { provider: 'extractive', name: 'extractive' };
  const slash = text.indexOf('/');
  const prefix = text.slice(0, Math.max(slash, 0));
  if (isProvider(prefix) && slash < text.length - 1) return { provider: prefix, name: text.slice(slash + 1) };
  return { provider: fallback, name: text };
}
