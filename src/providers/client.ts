import OpenAI, { AzureOpenAI, type ClientOptions } from 'openai';
import { trustedFetch, type Fetch } from './fetch.js';
import type { ProviderName } from './providers.js';

/** Address of a provider, with the credentials and settings of its calls. */
export interface Endpoint {
  /** null for a plain address outside the table of providers. */
  readonly provider: ProviderName | null;
  readonly apiBase: string;
  readonly apiKey: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Azure: deployment name and API version, unless the URL has `?api-version=`. */
  readonly deployment?: string;
  readonly apiVersion?: string | null;
}

/** A version that every current Azure resource supports. */
const AZURE_API_VERSION = '2024-10-21';

/** Disables the timeout of the library, because calls have their own deadline. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Creates a client that sends the key only to this endpoint. Every setting that the library would read from its own
 * environment variables is passed explicitly. Its retries and logs are off: {@link withRetries} retries, and its log
 * lines would contain provider responses.
 * @param fetch connects to the provider and decides which addresses are allowed
 */
export function providerClient(endpoint: Endpoint, fetch: Fetch = trustedFetch): OpenAI {
  const { provider, apiKey, headers = {}, deployment, apiVersion } = endpoint;
  const address = new URL(provider?.startsWith('ollama') ? withVersion(endpoint.apiBase) : endpoint.apiBase);
  const askedVersion = address.searchParams.get('api-version');
  address.search = '';
  const baseURL = address.href;
  const anonymous = apiKey === null ? { Authorization: null } : {};
  const options = {
    // The library requires a key. Without one, its authorization header is removed.
    apiKey: apiKey ?? 'none',
    baseURL,
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: MAX_TIMER_MS,
    logLevel: 'off' as const,
    fetch,
    defaultHeaders: { ...anonymous, ...headers },
  } satisfies ClientOptions;
  if (provider !== 'azure') return new OpenAI(options);
  if (address.pathname.includes('/openai/v1')) {
    const defaultHeaders = { 'api-key': apiKey, Authorization: null, ...headers };
    return new OpenAI({ ...options, defaultHeaders });
  }
  return new AzureOpenAI({
    ...options,
    baseURL: azureBase(baseURL),
    apiVersion: apiVersion ?? askedVersion ?? AZURE_API_VERSION,
    // The library inserts the name into the path without encoding.
    ...(deployment === undefined ? {} : { deployment: encodeURIComponent(deployment) }),
  });
}

/** Returns the URL of the OpenAI API of an Azure resource. The setting may omit the path. */
function azureBase(base: string): string {
  const bare = base.replace(/\/+$/, '');
  return /\/openai(\/|$)/.test(bare) ? bare : `${bare}/openai`;
}

/** Appends `/v1`, the OpenAI-compatible API, to a plain Ollama address (`http://host:11434`). */
function withVersion(base: string): string {
  const bare = base.replace(/\/+$/, '');
  return bare.endsWith('/v1') ? bare : `${bare.replace(/\/api$/, '')}/v1`;
}
