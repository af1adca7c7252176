import { t } from '../language/translate.js';
import type { Key } from '../language/words.js';
/** Known servers of models, with example values. */
export interface Preset {
  /** A name, or the key of the text that names it. */
  readonly name: 'Ollama' | 'OpenAI' | 'preset.anotherServer' | 'preset.liteLlm';
  readonly model: string;
  readonly apiBase: string;
  /** `none`: the field is not offered. */
  readonly key: 'required' | 'optional' | 'none';
  readonly hint: Extract<Key, `preset.${string}Hint`>;
}

export const PRESETS: readonly Preset[] = [
  {
    name: 'Ollama',
    model: 'ollama_chat/llama3.2',
    apiBase: 'http://127.0.0.1:11434',
    key: 'none',
    hint: 'preset.ollamaHint',
  },
  {
    name: 'OpenAI',
    model: 'openai/gpt-4o-mini',
    apiBase: 'https://api.openai.com/v1',
    key: 'required',
    hint: 'preset.openAiHint',
  },
  {
    name: 'preset.liteLlm',
    model: 'litellm_proxy/my-model',
    apiBase: 'http://127.0.0.1:4000',
    key: 'optional',
    hint: 'preset.liteLlmHint',
  },
  {
    name: 'preset.anotherServer',
    model: 'hosted_vllm/my-model',
    apiBase: 'http://127.0.0.1:8000/v1',
    key: 'optional',
    hint: 'preset.anotherHint',
  },
];

export function nameOf({ name }: Preset): string {
  return name === 'Ollama' || name === 'OpenAI' ? name : t(name);
}

export interface ModelForm {
  readonly model: string;
  readonly apiBase: string;
  readonly apiKey: string;
  readonly contextWindow: string;
}

export function formOf({ model, apiBase }: Preset): ModelForm {
  return { model, apiBase, apiKey: '', contextWindow: '' };
}

export function requestOf({ model, apiBase, apiKey, contextWindow }: ModelForm): {
  readonly model: string;
  readonly api_base: string | null;
  readonly api_key: string | null;
  readonly context_window: number | null;
} {
  return {
    model: model.trim(),
    api_base: apiBase.trim() || null,
    api_key: apiKey.trim() || null,
    context_window: contextWindow === '' ? null : Number(contextWindow),
  };
}

/** The same model as lines of `.env`, with a placeholder for the key: safe to copy. */
export function environmentLines(form: ModelForm, { key }: Preset): string {
  const { model, api_base, context_window } = requestOf(form);
  return [
    `LLM_MODEL=${model}`,
    ...(api_base === null ? [] : [`LLM_API_BASE=${api_base}`]),
    ...(key === 'none' ? [] : ['LLM_API_KEY=<your key>']),
    ...(context_window === null ? [] : [`LLM_CONTEXT_WINDOW=${context_window}`]),
  ].join('\n');
}
