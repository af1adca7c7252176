import { LRUCache } from 'lru-cache';
import type { ModelSettings } from '../model-settings.js';

/** Models whose prompt template ends with `<think>`, which vLLM, llama.cpp and others then leave out of the answer. */
const KNOWN_NAMES = /deepseek-r1|\bqwq\b|qwen3.*-thinking/i;

const MAX_REMEMBERED = 256;

type NamedModel = Pick<ModelSettings, 'provider' | 'name' | 'apiBase'>;

/** Models that are known, by name or by an earlier answer, to begin their answers inside a reasoning block. */
export class UnopenedReasoning {
  private readonly seen = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  /** Ollama sends opening tags or parses them itself, so that there only an answer counts. */
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
