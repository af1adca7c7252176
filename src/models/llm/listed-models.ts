import { Deadline, ProviderFailed } from '../../errors/index.js';
import { providerClient } from '../providers/client.js';
import { failureOf, RequestRefused, UnusableAnswer } from '../providers/failures.js';
import type { Fetch } from '../providers/fetch.js';
import { knownWindow } from './model-catalogue.js';
import type { ModelSettings } from './model-settings.js';

export interface ListedModel {
  /** Name at the provider. */
  readonly name: string;
  /** In tokens; null if neither the provider nor the catalogue tells it. */
  readonly contextWindow: number | null;
}

const LABEL = 'The provider';
const MAX_MODELS = 2_000;
const MAX_NAME_LENGTH = 180;

/** Names of models that answer no questions. */
const OTHER_WORK =
  /embed|\bbge-|minilm|rerank|whisper|transcribe|\btts\b|-tts|audio|realtime|dall-e|image|sora|moderation|guard|davinci|babbage|diffusion|flux/i;

/** Members in which servers tell the context window: vLLM, OpenRouter, Groq, Mistral, Anthropic and Gemini. */
const WINDOWS = [
  'max_model_len',
  'context_length',
  'context_window',
  'max_context_length',
  'max_input_tokens',
  'inputTokenLimit',
];

/** Anthropic's list needs its own headers; its completions in the format of OpenAI do not. */
function headersOf({ provider, apiKey, extraHeaders }: ModelSettings): Readonly<Record<string, string>> {
  if (provider !== 'anthropic' || apiKey === null) return extraHeaders;
  return { ...extraHeaders, 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' };
}

/**
 * Asks a provider for its models (`GET /models`). Leaves out models that answer no questions, unless no other is left.
 * @param settings settings of any model of the provider
 * @throws ProviderFailed, RateLimited or DeadlineExceeded.
 */
export async function listedModels(
  settings: ModelSettings,
  fetch: Fetch,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<readonly ListedModel[]> {
  const { provider, apiBase, apiKey, apiVersion } = settings;
  if (provider === 'azure') {
    throw new ProviderFailed('Azure lists no deployments. Enter the name of yours, such as azure/my-deployment');
  }
  const endpoint = { provider, apiBase: apiBase ?? '', apiKey, apiVersion, headers: headersOf(settings) };
  const deadline = new Deadline(timeoutMs, signal, `${LABEL} did not answer in time`);
  try {
    const answer = await providerClient(endpoint, fetch).get('/models', { signal: deadline.signal });
    return chosenFrom(answer, settings);
  } catch (error) {
    deadline.throwIfOver();
    throw explained(error, settings);
  } finally {
    deadline.end();
  }
}

function chosenFrom(answer: unknown, { provider }: ModelSettings): readonly ListedModel[] {
  const list = Array.isArray(answer) ? answer : (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(list)) {
    throw new UnusableAnswer(`${LABEL} sent no list of models. Its address may be wrong: many end with /v1`);
  }
  const found = new Map<string, number | null>();
  for (const item of list.slice(0, MAX_MODELS) as readonly unknown[]) {
    const facts = (item ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof facts['id'] !== 'string') continue;
    const name = facts['id'].replace(/^models\//, ''); // as Gemini lists them
    if (name === '' || name.length > MAX_NAME_LENGTH) continue;
    found.set(name, toldWindow(facts) ?? knownWindow(provider, name));
  }
  const all = [...found].map(([name, contextWindow]) => ({ name, contextWindow }));
  const answering = all.filter(({ name }) => !OTHER_WORK.test(name));
  return (answering.length > 0 ? answering : all).sort((a, b) => a.name.localeCompare(b.name));
}

function toldWindow(facts: Readonly<Record<string, unknown>>): number | null {
  const told = WINDOWS.map((member) => facts[member]).find((value) => Number.isInteger(value));
  return typeof told === 'number' && told >= 512 ? told : null;
}

function explained(error: unknown, { apiKey }: ModelSettings): Error {
  const called = { kind: 'llm', label: LABEL, model: '', apiKey, logsMessages: true } as const;
  const failure = failureOf(error, called);
  const status = (error as { status?: unknown } | null)?.status;
  if (status === 404 || status === 405 || status === 501 || failure instanceof RequestRefused) {
    const words = `${LABEL} lists no models at this address (${String(status)}). Correct the address, or enter the name of a model`;
    return new ProviderFailed(words, undefined, { cause: failure.cause });
  }
  return failure;
}
