import type { ProviderName } from '../providers/providers.js';

interface ModelFacts {
  /** In tokens. */
  readonly contextWindow: number;
  readonly vision: boolean;
}

interface Family extends ModelFacts {
  readonly pattern: RegExp;
}

/** Model families by name; the first match applies. The figures are from the vendors' model cards. */
const FAMILIES: readonly Family[] = [
  { pattern: /^gpt-.*(audio|search|realtime)/, contextWindow: 128_000, vision: false },
  { pattern: /^gpt-5(\.\d+)?-chat/, contextWindow: 128_000, vision: true },
  { pattern: /^gpt-5\.[4-9](?!-(mini|nano|cyber))/, contextWindow: 1_050_000, vision: true },
  { pattern: /^gpt-5/, contextWindow: 400_000, vision: true },
  { pattern: /^gpt-4\.1/, contextWindow: 1_047_576, vision: true },
  {
    pattern: /^(chatgpt-4o|gpt-4o|gpt-4\.5|gpt-4-turbo(?!-preview)|gpt-4-1106-vision)/,
    contextWindow: 128_000,
    vision: true,
  },
  { pattern: /^gpt-4-(turbo|0125|1106)/, contextWindow: 128_000, vision: false },
  { pattern: /^gpt-4-32k/, contextWindow: 32_768, vision: false },
  { pattern: /^gpt-4/, contextWindow: 8_192, vision: false },
  { pattern: /^gpt-3\.5/, contextWindow: 16_385, vision: false },
  { pattern: /^gpt-oss/, contextWindow: 131_072, vision: false },
  { pattern: /^o[13]-(mini|preview)/, contextWindow: 128_000, vision: false },
  { pattern: /^o\d/, contextWindow: 200_000, vision: true },
  { pattern: /claude-(instant|2)/, contextWindow: 100_000, vision: false },
  { pattern: /claude/, contextWindow: 200_000, vision: true },
  { pattern: /gemini/, contextWindow: 1_048_576, vision: true },
  { pattern: /grok.*vision|grok-[4-9]/, contextWindow: 131_072, vision: true },
  { pattern: /grok/, contextWindow: 131_072, vision: false },
  { pattern: /llama-?4/, contextWindow: 131_072, vision: true },
  { pattern: /llama-?3[.-]?2.*(vision|11b|90b)/, contextWindow: 131_072, vision: true },
  { pattern: /llama-?3[.-]?[1-3]/, contextWindow: 131_072, vision: false },
  { pattern: /pixtral|mistral-(small|medium)-(3|latest)/, contextWindow: 131_072, vision: true },
  {
    pattern: /mistral-large|ministral|mistral-nemo|magistral|codestral/,
    contextWindow: 131_072,
    vision: false,
  },
  { pattern: /mixtral|mistral/, contextWindow: 32_768, vision: false },
  { pattern: /deepseek/, contextWindow: 65_536, vision: false },
  { pattern: /qwen.*vl/, contextWindow: 32_768, vision: true },
  { pattern: /qwen/, contextWindow: 32_768, vision: false },
  { pattern: /gemma-?3/, contextWindow: 131_072, vision: true },
  { pattern: /llava|minicpm-v|moondream/, contextWindow: 4_096, vision: true },
];

/** Assumed for an unknown model, in tokens. */
export const UNKNOWN_WINDOW = 8_192;

const UNKNOWN: ModelFacts = { contextWindow: UNKNOWN_WINDOW, vision: false };

/**
 * Context window that an Ollama server uses for every model by default. The server truncates longer prompts without an
 * error.
 */
const OLLAMA_WINDOW = 4_096;

/**
 * Context window, in tokens, of answers without a model. This window limits the time to select sentences to about 50
 * ms.
 */
const NO_MODEL_WINDOW = 32_768;

/**
 * Returns context window and vision of a model; 8,192 tokens and no vision for an unknown model. Servers of local
 * models may use a smaller window; LLM_CONTEXT_WINDOW and `context_window` override it.
 */
export function factsOf(provider: ProviderName, name: string): ModelFacts {
  const facts = factsByName(name) ?? UNKNOWN;
  return { ...facts, contextWindow: knownWindow(provider, name) ?? UNKNOWN.contextWindow };
}

/** Returns the context window of a model in tokens; null for an unknown model. */
export function knownWindow(provider: ProviderName, name: string): number | null {
  if (provider === 'extractive') return NO_MODEL_WINDOW;
  if (provider === 'ollama' || provider === 'ollama_chat') return OLLAMA_WINDOW;
  return factsByName(name)?.contextWindow ?? null;
}

function factsByName(name: string): ModelFacts | undefined {
  const bare = name.toLowerCase().replace(/^.*\//, '');
  return FAMILIES.find(({ pattern }) => pattern.test(bare));
}
