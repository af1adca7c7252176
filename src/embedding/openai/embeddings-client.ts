import { AzureOpenAI, OpenAI } from 'openai';
import type { EmbeddingEndpoint } from './providers.js';

/** Used when EMBEDDING_API_BASE carries no `?api-version=`. */
const AZURE_API_VERSION = '2024-10-21';

/**
 * A client that sends the key to this endpoint and nowhere else: environment variables of the library are not read,
 * redirects are not followed, nothing is logged, and repeating a call is left to the caller.
 */
export function embeddingsClient(endpoint: EmbeddingEndpoint, apiKey: string | undefined): OpenAI {
  const base = new URL(endpoint.base);
  const version = base.searchParams.get('api-version') ?? AZURE_API_VERSION;
  base.search = '';
  const options = {
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    fetchOptions: { redirect: 'error' },
  } as const;
  if (endpoint.provider === 'azure' && !base.pathname.includes('/openai/v1')) {
    return new AzureOpenAI({ ...options, endpoint: base.href, apiVersion: version });
  }
  const headers = endpoint.provider === 'azure' ? { 'api-key': apiKey, Authorization: null } : {};
  const anonymous = apiKey === undefined ? { Authorization: null } : {};
  return new OpenAI({ ...options, baseURL: base.href, defaultHeaders: { ...headers, ...anonymous } });
}
