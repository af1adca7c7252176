import OpenAI, { AzureOpenAI, type ClientOptions } from 'openai';
import { trustedFetch, type Fetch } from './fetch.js';
import type { ProviderName } from './providers.js';

/** Address of a provider, with the credentials and settings of its calls. */
export interface Endpoint {
  /** null if the address does not belong to a known provider. */
  readonly provider: ProviderName | null;
  readonly apiBase: string;
  readonly apiKey: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** For Azure: the name of the deployment, and the API version unless the URL has `?api-version=`. */
  readonly deployment?: string;
  readonly apiVersion?: string | null;
}

/** Default API version for Azure. Every current Azure resource supports this version. */
const AZURE_API_VERSION = '2024-10-21';

/** Timeout of the library in milliseconds. It is the longest possible, because calls have deadlines of their own. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Creates a client that sends the key only to this endpoint. Every setting is passed explicitly, because the library
 * would otherwise read its own environment variables. The library does not retry, because {@link withRetries} does. The
 * library does not log, because its log lines would contain responses of the provider.
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
    // The library requires a key. If the endpoint has none, `anonymous` removes the header that the library would send.
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
    // The name is encoded here, because the library inserts it into the path unchanged.
    ...(deployment === undefined ? {} : { deployment: encodeURIComponent(deployment) }),
  });
}

/** Returns the URL of the OpenAI API of an Azure resource. Adds the path of the API if the setting omits it. */
function azureBase(base: string): string {
  const bare = base.replace(/\/+$/, '');
  return /\/openai(\/|$)/.test(bare) ? bare : `${bare}/openai`;
}

/** Appends `/v1`, the path of the OpenAI-compatible API, to an Ollama address without a path (`http://host:11434`). */
function withVersion(base: string): string {
  const bare = base.replace(/\/+$/, '');
  return bare.endsWith('/v1') ? bare : `${bare.replace(/\/api$/, '')}/v1`;
}
