import { ConfigurationError } from '../../config/read-settings.js';

interface Provider {
  /** The usual address; undefined when every installation has its own. */
  readonly base?: string;
  readonly needsKey: boolean;
}

/** Prefixes of LiteLLM-style names whose embedding endpoints speak the OpenAI format. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  openai: { base: 'https://api.openai.com/v1', needsKey: true },
  azure: { needsKey: true },
  ollama: { base: 'http://127.0.0.1:11434/v1', needsKey: false },
  hosted_vllm: { needsKey: false },
  vllm: { needsKey: false },
  lm_studio: { base: 'http://127.0.0.1:1234/v1', needsKey: false },
  litellm_proxy: { base: 'http://127.0.0.1:4000', needsKey: false },
  infinity: { needsKey: false },
  xinference: { needsKey: false },
  llamafile: { base: 'http://127.0.0.1:8080/v1', needsKey: false },
  gemini: { base: 'https://generativelanguage.googleapis.com/v1beta/openai', needsKey: true },
  mistral: { base: 'https://api.mistral.ai/v1', needsKey: true },
  together_ai: { base: 'https://api.together.xyz/v1', needsKey: true },
  openrouter: { base: 'https://openrouter.ai/api/v1', needsKey: true },
  deepinfra: { base: 'https://api.deepinfra.com/v1/openai', needsKey: true },
  fireworks_ai: { base: 'https://api.fireworks.ai/inference/v1', needsKey: true },
  nvidia_nim: { base: 'https://integrate.api.nvidia.com/v1', needsKey: true },
  nebius: { base: 'https://api.studio.nebius.com/v1', needsKey: true },
  jina_ai: { base: 'https://api.jina.ai/v1', needsKey: true },
  voyage: { base: 'https://api.voyageai.com/v1', needsKey: true },
};

export interface EmbeddingEndpoint {
  readonly provider: string;
  /** The name that is sent to the provider, without the prefix. */
  readonly model: string;
  readonly base: string;
}

/**
 * Where `EMBEDDING_MODEL` is served. A name without a known prefix goes to `EMBEDDING_API_BASE` as it is
 * (`BAAI/bge-m3`); without an address and without a prefix it is OpenAI's.
 *
 * @throws ConfigurationError naming the variable that is missing.
 */
export function resolveEndpoint(
  name: string,
  apiBase: string | undefined,
  apiKey: string | undefined,
): EmbeddingEndpoint {
  const slash = name.indexOf('/');
  const prefix = name.slice(0, Math.max(0, slash));
  const known = Object.hasOwn(PROVIDERS, prefix) ? PROVIDERS[prefix] : undefined;
  if (known === undefined && slash >= 0 && apiBase === undefined) {
    throw new ConfigurationError([
      `EMBEDDING_MODEL names the provider "${prefix}", which is not one of ${Object.keys(PROVIDERS).join(', ')}: set EMBEDDING_API_BASE to its OpenAI-compatible address`,
    ]);
  }
  const provider = known === undefined ? 'openai' : prefix;
  const base = apiBase ?? PROVIDERS[provider]?.base;
  if (base === undefined) throw new ConfigurationError([`EMBEDDING_API_BASE is required with ${provider}/`]);
  if (apiKey === undefined && apiBase === undefined && PROVIDERS[provider]?.needsKey === true) {
    throw new ConfigurationError([`EMBEDDING_API_KEY is required with EMBEDDING_MODEL=${name}`]);
  }
  return {
    provider,
    model: known === undefined ? name : name.slice(slash + 1),
    base: provider === 'ollama' ? withVersion(base) : base,
  };
}

/** Ollama's own address (`http://host:11434`) is what people have; its OpenAI-compatible API is below `/v1`. */
function withVersion(base: string): string {
  const trimmed = base.replace(/\/+$/, '');
  return trimmed.endsWith('/v1') ? trimmed : `${trimmed.replace(/\/api$/, '')}/v1`;
}
