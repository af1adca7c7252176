import { LRUCache } from 'lru-cache';
import type { ModelSettings } from '../model-settings.js';

/**
 * Names of models whose prompt template ends with `<think>`. Servers such as vLLM and llama.cpp then omit this tag from
 * the answer.
 */
const KNOWN_NAMES = /deepseek-r1|\bqwq\b|qwen3.*-thinking/i;

const MAX_REMEMBERED = 256;

type NamedModel = Pick<ModelSettings, 'provider' | 'name' | 'apiBase'>;

/**
 * Remembers which models begin their answers inside a reasoning block: models with a known name, and models that have
 * given such an answer before.
 */
export class UnopenedReasoning {
  private readonly seen = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  /**
   * Whether an answer of the model is expected to begin inside a reasoning block. Ignores the name for Ollama, which
   * sends opening tags or parses the block itself.
   */
  expects(model: NamedModel): boolean {
    const isKnown = model.provider !== 'ollama' && KNOWN_NAMES.test(model.name);
    return isKnown || this.seen.has(keyOf(model));
  }

  remember(model: NamedModel): void {
    this.seen.set(keyOf(model), true);
  }
}

function keyOf({ provider, name, apiBase }: NamedModel): string {
  return JSON.stringify([provider, apiBase, name]);
}
