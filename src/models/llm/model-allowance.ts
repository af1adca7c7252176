import type { Scope } from '../../auth/scope.js';
import type { Settings } from '../../config/settings.js';
import { Invalid, type InvalidItem, type Location } from '../../errors/index.js';
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

/** What a caller may ask of language models at the cost of the operator. */
export interface ModelAllowance {
  /** Models besides the configured one; null: every model, with all members of `llm_config`. */
  readonly models: readonly string[] | null;
  /** Tokens of the largest answer; null: no limit. */
  readonly maxAnswerTokens: number | null;
}

/**
 * Returns what a caller may ask. A key without `write` and a browser token use the configured model and those that the
 * operator allows. The allowance of a key counts for its tokens too.
 */
export function modelAllowanceOf(
  { permissions, token, allowance }: Scope,
  settings: Pick<Settings, 'LLM_ALLOWED_MODELS' | 'LLM_MAX_ANSWER_TOKENS'>,
): ModelAllowance {
  const isFree = permissions.has('write') && token === undefined;
  const most = isFree || settings.LLM_MAX_ANSWER_TOKENS === 0 ? null : settings.LLM_MAX_ANSWER_TOKENS;
  return {
    models: allowance?.models ?? (isFree ? null : settings.LLM_ALLOWED_MODELS),
    maxAnswerTokens: allowance?.maxAnswerTokens ?? most,
  };
}

/**
 * Checks what a request asks of the model. A request with an API key of its own is at the caller's cost.
 *
 * @param config `llm_config` of the request
 * @param wanted the settings of the requested model
 * @param maxTokens `max_tokens` of the request
 * @throws Invalid for each member that the allowance does not contain
 */
export function requireAllowed(
  { models, maxAnswerTokens }: ModelAllowance,
  config: LlmConfig | null,
  { configured, wanted }: { readonly configured: ModelSettings; readonly wanted: ModelSettings },
  maxTokens: number | null,
): void {
  if (config?.apiKey !== undefined) return;
  const items: InvalidItem[] = [];
  const refuse = (loc: Location, sentence: string): void => {
    items.push({ loc, msg: `Value error, ${sentence}`, type: 'value_error' });
  };
  if (config !== null && models !== null) {
    const names = (one: Pick<ModelSettings, 'provider' | 'name'>): boolean =>
      one.provider === wanted.provider && one.name === wanted.name;
    const isAllowed =
      names(configured) ||
      wanted.provider === 'extractive' ||
      models.some((model) => names(modelNamed(model, configured.provider)));
    if (!isAllowed) refuse(['body', 'llm_config', 'model'], 'this key may not use this model');
    for (const [member, name] of Object.entries(COSTLY)) {
      if (config[member as keyof typeof COSTLY] !== undefined) {
        refuse(['body', 'llm_config', name], 'this key may not set this');
      }
    }
  }
  if (maxAnswerTokens !== null) {
    const sentence = `this key gets answers of at most ${maxAnswerTokens} tokens`;
    if ((config?.maxTokens ?? 0) > maxAnswerTokens) refuse(['body', 'llm_config', 'max_tokens'], sentence);
    if ((maxTokens ?? 0) > maxAnswerTokens) refuse(['body', 'max_tokens'], sentence);
  }
  if (items.length > 0) throw new Invalid(items);
}
