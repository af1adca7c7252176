import { LRUCache } from 'lru-cache';
import type { ModelSettings } from '../model-settings.js';

/** Models whose prompt template ends with `<think>`. vLLM, llama.cpp and others then omit the tag from the answer. */
const KNOWN_NAMES = /deepseek-r1|\bqwq\b|qwen3.*-thinking/i;

const MAX_REMEMBERED = 256;

type NamedModel = Pick<ModelSettings, 'provider' | 'name' | 'apiBase'>;

/** Models whose answers start inside a reasoning block, known from their name or an earlier answer. */
export class UnopenedReasoning {
  private readonly seen = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  /** Ignores the name for Ollama, which sends opening tags or parses the block itself. */
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
