import type { InvalidItem, Location } from '../../errors/index.js';
import type { LlmConfig } from './llm-config.js';
import { flag, headers, integer, number, text, textOrTexts, type Check } from './value-checks.js';

/** Keys of `llm_config` with what their values must be. */
const KEYS: Readonly<Record<string, Check>> = {
  model: text,
  model_name: text,
  api_key: text,
  api_base: text,
  base_url: text,
  api_version: text,
  deployment_id: text,
  temperature: number({ min: 0, max: 2 }),
  max_tokens: integer({ above: 0 }),
  top_p: number({ min: 0, max: 1 }),
  stop: textOrTexts,
  seed: integer({}),
  presence_penalty: number({ min: -2, max: 2 }),
  frequency_penalty: number({ min: -2, max: 2 }),
  reasoning_effort: text,
  timeout: number({ above: 0 }),
  num_retries: integer({ min: 0, max: 10 }),
  extra_headers: headers,
  vision: flag,
  context_window: integer({ min: 256 }),
};

const ALIASES: readonly (readonly [alias: string, key: string])[] = [
  ['model_name', 'model'],
  ['base_url', 'api_base'],
];

const SAMPLING_KEYS = [
  'temperature',
  'top_p',
  'stop',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'reasoning_effort',
];

/** Everything that is wrong with an `llm_config`, with its places. Values are not repeated: one of them is a key. */
export function llmConfigProblems(config: unknown, loc: Location): InvalidItem[] {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    return [{ loc, msg: 'Input should be a valid dictionary', type: 'dict_type' }];
  }
  const given = new Map(Object.entries(config as Readonly<Record<string, unknown>>));
  const problems = [...given].flatMap(([key, value]): InvalidItem[] => {
    const check = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (check !== undefined) return check(value, [...loc, key]);
    return [{ loc: [...loc, key], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }];
  });
  for (const [alias, key] of ALIASES) {
    if (given.has(alias) && given.has(key) && given.get(alias) !== given.get(key)) {
      problems.push({ loc: [...loc, alias], msg: `says something other than ${key}`, type: 'value_error' });
    }
  }
  return problems;
}

/** Reads an `llm_config` that has no problems. */
export function readLlmConfig(config: Readonly<Record<string, unknown>>): LlmConfig {
  const { model = config['model_name'], api_base: apiBase = config['base_url'], timeout } = config;
  const members = {
    model,
    apiKey: config['api_key'],
    apiBase,
    apiVersion: config['api_version'],
    deployment: config['deployment_id'],
    maxTokens: config['max_tokens'],
    timeoutMs: typeof timeout === 'number' ? Math.max(1, Math.round(timeout * 1000)) : undefined,
    retries: config['num_retries'],
    extraHeaders: config['extra_headers'],
    vision: config['vision'],
    contextWindow: config['context_window'],
    sampling: Object.fromEntries(SAMPLING_KEYS.flatMap((key) => (key in config ? [[key, config[key]]] : []))),
  };
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  // Checked key by key before.
  return Object.fromEntries(present) as unknown as LlmConfig;
}
