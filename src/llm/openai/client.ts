import OpenAI, { AzureOpenAI, type ClientOptions } from 'openai';
import type { Fetch } from '../egress/fetch.js';
import type { ModelSettings } from '../model-settings.js';

/**
 * A client for one model. Everything the library would otherwise read from its own environment variables is given
 * or switched off, retries and logging included: retries are ours, and its log lines would carry provider bodies.
 */
export function openaiClient(settings: ModelSettings, fetch: Fetch): OpenAI {
  const { apiKey, apiBase, extraHeaders, timeoutMs } = settings;
  const options = {
    // The library demands a key; where there is none, the header that would carry it is taken out again.
    apiKey: apiKey ?? 'none',
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off' as const,
    fetch,
    defaultHeaders: { ...(apiKey === null ? { Authorization: null } : {}), ...extraHeaders },
  } satisfies ClientOptions;
  if (settings.provider !== 'azure') return new OpenAI({ ...options, baseURL: apiBase });
  return new AzureOpenAI({
    ...options,
    apiKey: apiKey ?? 'none',
    baseURL: azureBase(apiBase ?? ''),
    apiVersion: settings.apiVersion,
    // The library puts it into the path as it is.
    deployment: encodeURIComponent(settings.deployment ?? settings.name),
  });
}

/** The resource's address with the path of its OpenAI API, whichever of the two was configured. */
function azureBase(base: string): string {
  const bare = base.replace(/\/+$/, '');
  return /\/openai(\/|$)/.test(bare) ? bare : `${bare}/openai`;
}
