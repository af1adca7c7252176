import OpenAI, { AzureOpenAI, type ClientOptions } from 'openai';
import { trustedFetch, type Fetch } from './fetch.js';
import type { ProviderName } from './providers.js';

/** Where calls go, and what they carry beside their body. */
export interface Endpoint {
  /** null: no provider of the table, but a plain address. */
  readonly provider: ProviderName | null;
  readonly apiBase: string;
  readonly apiKey: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Azure: name of the deployment, and the version of its API unless the address carries `?api-version=`. */
  readonly deployment?: string;
  readonly apiVersion?: string | null;
}

/** A version that every Azure resource of the last years serves. */
const AZURE_API_VERSION = '2024-10-21';

/** Calls bring their own deadline; that of the library is as long as a timer can be. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A client that sends the key to this endpoint and nowhere else. Everything the library would otherwise read from its
 * own environment variables is given or switched off, retries and logging included: retries are made by
 * {@link withRetries}, and its log lines would carry provider bodies.
 * @param fetch reaches the provider; decides which addresses may be connected to.
 */
export function providerClient(endpoint: Endpoint, fetch: Fetch = trustedFetch): OpenAI {
  const { provider, apiKey, headers = {}, deployment, apiVersion } = endpoint;
  const address = new URL(provider?.startsWith('ollama') ? withVersion(endpoint.apiBase) : endpoint.apiBase);
  const askedVersion = address.searchParams.get('api-version');
  address.search = '';
  const baseURL = address.href;
  const anonymous = apiKey === null ? { Authorization: null } : {};
  const options = {
    // The library demands a key; where there is none, the header that would carry it is taken out again.
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
    // The library puts it into the path as it is.
    ...(deployment === undefined ? {} : { deployment: encodeURIComponent(deployment) }),
  });
}

/** The resource's address with the path of its OpenAI API, whichever of the two was configured. */
function azureBase(base: string): string {
  const bare = base.replace(/\/+$/, '');
  return /\/openai(\/|$)/.test(bare) ? bare : `${bare}/openai`;
}

/** Ollama's own address (`http://host:11434`) is what people have; its OpenAI-compatible API is below `/v1`. */
function withVersion(base: string): string {
  const bare = base.replace(/\/+$/, '');
  return bare.endsWith('/v1') ? bare : `${bare.replace(/\/api$/, '')}/v1`;
}
