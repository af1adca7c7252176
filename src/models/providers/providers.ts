/** Properties of a provider, by its LiteLLM-style prefix. */
interface Provider {
  /** Default URL of the provider's OpenAI-compatible API; null if every installation has a URL of its own. */
  readonly base: string | null;
  readonly needsKey: boolean;
  /** The kinds of models that a name with this prefix may refer to. */
  readonly serves: readonly ModelKind[];
  /** Whether the provider reports token usage in streams (`stream_options`). Other providers reject this parameter. */
  readonly countsStreams: boolean;
  /** Wire format of its embedding endpoint. */
  readonly embeds: EmbeddingFormat;
}

/** Wire formats of embedding endpoints; `embedding/wire-formats.ts` implements them. */
export type EmbeddingFormat = 'openai' | 'voyage' | 'nvidia' | 'cohere';

type ModelKind = 'completion' | 'embedding';

type Row = Partial<Pick<Provider, 'serves' | 'countsStreams' | 'embeds'>>;

const BOTH: readonly ModelKind[] = ['completion', 'embedding'];
const COMPLETION = { serves: ['completion'] } as const;
const EMBEDDING = { serves: ['embedding'] } as const;

const hosted = (base: string | null, row: Row = {}): Provider => ({
  base,
  needsKey: true,
  serves: BOTH,
  countsStreams: true,
  embeds: 'openai',
  ...row,
});

/** Properties of a self-hosted server, which needs no key. */
const local = (base: string | null, row: Row = {}): Provider => ({ ...hosted(base, row), needsKey: false });

/**
 * Providers by prefix. Completions use the wire format of OpenAI, embeddings that of `embeds`. `extractive` means no model and has no URL. Default
 * URLs on this machine contain an IPv4 address, because it needs no name resolution and also reaches servers that
 * listen only on IPv4.
 */
export const PROVIDERS = {
  openai: hosted('https://api.openai.com/v1'),
  azure: hosted(null),
  ollama: local('http://127.0.0.1:11434/v1'),
  ollama_chat: local('http://127.0.0.1:11434/v1', COMPLETION),
  hosted_vllm: local(null),
  vllm: local(null, EMBEDDING),
  lm_studio: local('http://127.0.0.1:1234/v1'),
  litellm_proxy: local('http://127.0.0.1:4000'),
  llamafile: local('http://127.0.0.1:8080/v1', EMBEDDING),
  infinity: local(null, EMBEDDING),
  xinference: local(null, EMBEDDING),
  anthropic: hosted('https://api.anthropic.com/v1', COMPLETION),
  gemini: hosted('https://generativelanguage.googleapis.com/v1beta/openai'),
  groq: hosted('https://api.groq.com/openai/v1', COMPLETION),
  mistral: hosted('https://api.mistral.ai/v1', { countsStreams: false }),
  deepseek: hosted('https://api.deepseek.com/v1', COMPLETION),
  together_ai: hosted('https://api.together.xyz/v1'),
  openrouter: hosted('https://openrouter.ai/api/v1'),
  xai: hosted('https://api.x.ai/v1', COMPLETION),
  deepinfra: hosted('https://api.deepinfra.com/v1/openai', EMBEDDING),
  fireworks_ai: hosted('https://api.fireworks.ai/inference/v1', EMBEDDING),
  nvidia_nim: hosted('https://integrate.api.nvidia.com/v1', { ...EMBEDDING, embeds: 'nvidia' }),
  nebius: hosted('https://api.studio.nebius.com/v1', EMBEDDING),
  jina_ai: hosted('https://api.jina.ai/v1', EMBEDDING),
  voyage: hosted('https://api.voyageai.com/v1', { ...EMBEDDING, embeds: 'voyage' }),
  cohere: hosted('https://api.cohere.com/v2', { ...EMBEDDING, embeds: 'cohere' }),
  extractive: local(null, COMPLETION),
} as const satisfies Record<string, Provider>;

export type ProviderName = keyof typeof PROVIDERS;

export interface ModelName {
  readonly provider: ProviderName;
  /** Name of the model without the prefix, as the provider knows it. */
  readonly name: string;
}

export function prefixesOf(kind: ModelKind): ProviderName[] {
  return (Object.keys(PROVIDERS) as ProviderName[]).filter((name) => serves(name, kind));
}

/**
 * Parses `provider/name`. Returns null if the text does not begin with the prefix of a provider that has models of this
 * kind.
 */
export function parseModelName(text: string, kind: ModelKind): ModelName | null {
  const [, prefix = '', name = ''] = /^([^/]*)\/(.+)$/s.exec(text) ?? [];
  return isProvider(prefix) && serves(prefix, kind) ? { provider: prefix, name } : null;
}

function isProvider(prefix: string): prefix is ProviderName {
  return Object.hasOwn(PROVIDERS, prefix);
}

function serves(provider: ProviderName, kind: ModelKind): boolean {
  return PROVIDERS[provider].serves.some((served) => served === kind);
}
