import type { Scope } from '../../auth/scope.js';
import type { Settings } from '../../config/settings.js';
import { type Location, Problems } from '../../errors/index.js';
import { modelNamed, type LlmConfig, type ModelSettings } from './model-settings.js';

/** Members of `llm_config` that change who pays, or how much. */
const COSTLY = {
  apiBase: 'api_base',
  apiVersion: 'api_version',
  deployment: 'deployment_id',
  retries: 'num_retries',
  extraHeaders: 'extra_headers',
  contextWindow: 'context_window',
} as const satisfies Partial<Record<keyof LlmConfig, string>>;

/** Further members that a token may not set. Sampling parameters are allowed: they cost nothing. */
const NOT_FOR_TOKENS = {
  ...COSTLY,
  apiKey: 'api_key',
  timeoutMs: 'timeout',
  vision: 'vision',
} as const satisfies Partial<Record<keyof LlmConfig, string>>;

export const NOT_FOR_TOKEN = 'Value error, this token may not use this model';

/** What a caller may ask of language models at the cost of the operator. */
export interface ModelAllowance {
  /** Models besides the configured one; null: every model, with all members of `llm_config`. */
  readonly models: readonly string[] | null;
  /** Tokens of the largest answer; null: no limit. */
  readonly maxAnswerTokens: number | null;
  /** Models of the key of a token, which a token does not exceed. Absent for other callers. */
  readonly ofToken?: { readonly keyModels: readonly string[] | null };
}

type ModelLimits = Pick<Settings, 'LLM_ALLOWED_MODELS' | 'LLM_MAX_ANSWER_TOKENS'>;

/**
 * Returns what a caller may ask. A key without `write` uses the configured model and those that the operator allows. A
 * token uses the configured model and those for which it was made, as far as its key may use them.
 */
export function modelAllowanceOf(
  { permissions, policy, allowance }: Scope,
  { LLM_ALLOWED_MODELS, LLM_MAX_ANSWER_TOKENS: most }: ModelLimits,
): ModelAllowance {
  const isFree = policy?.ownerWrites ?? permissions.has('write');
  const keyModels = allowance?.models ?? (isFree ? null : LLM_ALLOWED_MODELS);
  const isUnlimited = most === 0 || (isFree && policy === undefined);
  const ofKey = allowance?.maxAnswerTokens ?? (isUnlimited ? null : most);
  if (policy === undefined) return { models: keyModels, maxAnswerTokens: ofKey };
  const limits = [policy.maxAnswerTokens, ofKey].filter((limit) => limit !== null);
  return {
    models: policy.models,
    maxAnswerTokens: limits.length === 0 ? null : Math.min(...limits),
    ofToken: { keyModels },
  };
}

/**
 * Checks what a request asks of the model. A request with an API key of its own is at the caller's cost; a token brings
 * none.
 *
 * @param config `llm_config` of the request
 * @param wanted the settings of the requested model
 * @param maxTokens `max_tokens` of the request
 * @throws Invalid for each member that the allowance does not contain
 */
export function requireAllowed(
  { models, maxAnswerTokens, ofToken }: ModelAllowance,
  config: LlmConfig | null,
  { configured, wanted }: { readonly configured: ModelSettings; readonly wanted: ModelSettings },
  maxTokens: number | null,
): void {
  if (config?.apiKey !== undefined && ofToken === undefined) return;
  const caller = ofToken === undefined ? 'key' : 'token';
  const problems = new Problems();
  const refuse = (loc: Location, sentence: string): void => {
    problems.add(loc, `Value error, ${sentence}`);
  };
  if (config !== null && models !== null) {
    const names = (one: Pick<ModelSettings, 'provider' | 'name'>): boolean =>
      one.provider === wanted.provider && one.name === wanted.name;
    const isAllowed =
      names(configured) ||
      wanted.provider === 'extractive' ||
      [models, ofToken?.keyModels ?? null].every(
        (list) => list === null || list.some((model) => names(modelNamed(model, configured.provider))),
      );
    if (!isAllowed) refuse(['body', 'llm_config', 'model'], `this ${caller} may not use this model`);
    for (const name of costly(config, ofToken !== undefined)) {
      refuse(['body', 'llm_config', name], `this ${caller} may not set this`);
    }
  }
  if (maxAnswerTokens !== null) {
    const sentence = `this ${caller} gets answers of at most ${maxAnswerTokens} tokens`;
    if ((config?.maxTokens ?? 0) > maxAnswerTokens) refuse(['body', 'llm_config', 'max_tokens'], sentence);
    if ((maxTokens ?? 0) > maxAnswerTokens) refuse(['body', 'max_tokens'], sentence);
  }
  problems.throwIfAny();
}

/** The members of `llm_config` that change who pays, or how much. */
function costly(config: LlmConfig, isOfToken: boolean): string[] {
  const members = Object.entries(isOfToken ? NOT_FOR_TOKENS : COSTLY);
  const set = members.flatMap(([member, name]) =>
    config[member as keyof typeof NOT_FOR_TOKENS] === undefined ? [] : [name],
  );
  return isOfToken && config.sampling.reasoning_effort !== undefined ? [...set, 'reasoning_effort'] : set;
}
