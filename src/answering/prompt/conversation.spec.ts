import type { ChatMessage, LanguageModel } from '../../models/llm/language-model.js';
import { historyWithin } from './conversation.js';

/** Returns a model that counts its calls. Every character is one token. */
function countingModel(): { readonly model: LanguageModel; readonly asked: () => number } {
  let asked = 0;
  const countTokens = (text: string): number => {
    asked += 1;
    return text.length;
  };
  return {
    model: { contextWindow: 4_000, countTokens } as unknown as LanguageModel,
    asked: () => asked,
  };
}

const turns = (role: ChatMessage['role'], length: number): ChatMessage[] =>
  Array.from({ length }, (_, index) => ({ role, content: `turn ${index}` }));

describe('the history of a conversation', () => {
  it('is counted only as far as it fits, regardless of its length', () => {
    const { model, asked } = countingModel();
    const kept = historyWithin(model, turns('user', 300_000), 1_000);
    expect(kept.at(-1)?.content).toBe('turn 299999');
    expect(asked()).toBe(kept.length + 1);
  });

  it('omits a turn pair that does not fit, without counting all of it', () => {
    const { model, asked } = countingModel();
    const question: ChatMessage = { role: 'user', content: 'And?' };
    expect(historyWithin(model, [...turns('assistant', 300_000), question], 1_000)).toEqual([question]);
    expect(asked()).toBeLessThan(100);
  });
});
