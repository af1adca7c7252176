import { type ChatMessage, type LanguageModel, messageText } from '../../models/llm/language-model.js';
import { countMessage } from '../../models/llm/prompt-parts.js';
import { historyWithin } from './history.js';

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
const user = (content: string): ChatMessage => ({ role: 'user', content });
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content });

function texts(messages: readonly ChatMessage[]): string[] {
  return messages.map(messageText);
}

function tokensOf(messages: readonly ChatMessage[]): number {
  const { model } = countingModel();
  return messages.reduce((sum, message) => sum + countMessage(message, model), 0);
}

describe('the history of a conversation', () => {
  it('is counted only as far as it fits, regardless of its length', () => {
    const { model, asked } = countingModel();
    const { messages, isCut } = historyWithin(model, turns('user', 300_000), 1_000);
    expect(messages.at(-1)?.content).toBe('turn 299999');
    expect(isCut).toBe(true);
    expect(asked()).toBeLessThan(messages.length + 20);
  });

  it('shortens an exchange of many messages without counting all of them', () => {
    const { model, asked } = countingModel();
    const { messages } = historyWithin(model, [...turns('assistant', 300_000), user('And?')], 1_000);
    expect(texts(messages)).toEqual(['turn 299999', 'And?']);
    expect(asked()).toBeLessThan(500);
  });

  it('is unchanged if it fits', () => {
    const { model } = countingModel();
    const all = [user('When?'), assistant('At dusk.'), user('By whom?'), assistant('The keeper.')];
    expect(historyWithin(model, all, 1_000)).toEqual({ messages: all, isCut: false });
  });

  it('keeps the question and the beginning of an answer that is too long', () => {
    const { model } = countingModel();
    const answer = `At dusk. ${'He walks on. '.repeat(500)}`;
    const { messages, isCut } = historyWithin(model, [user('When?'), assistant(answer)], 1_000);
    expect(messages[0]).toEqual(user('When?'));
    expect(messages[1]?.content).toMatch(/^At dusk\. He walks on\. .* …$/);
    expect(isCut).toBe(true);
    expect(tokensOf(messages)).toBeLessThanOrEqual(1_000);
    expect(tokensOf(messages)).toBeGreaterThan(900);
  });

  it('keeps room for earlier exchanges beside a long answer', () => {
    const { model } = countingModel();
    const earlier = [user('Who?'), assistant('The keeper.')];
    const { messages } = historyWithin(
      model,
      [...earlier, user('When?'), assistant('At dusk. '.repeat(500))],
      1_000,
    );
    expect(messages.slice(0, 3)).toEqual([...earlier, user('When?')]);
    expect(tokensOf(messages)).toBeLessThanOrEqual(1_000);
  });

  it('shortens a question that is too long itself', () => {
    const { model } = countingModel();
    const { messages } = historyWithin(
      model,
      [user(`When? ${'x '.repeat(5_000)}`), assistant('At dusk.')],
      1_000,
    );
    expect(messages[0]?.content).toMatch(/^When\? x .* …$/);
    expect(messages[1]).toEqual(assistant('At dusk.'));
  });

  it('keeps a function call with its long result', () => {
    const { model } = countingModel();
    const call: ChatMessage = {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'c1', name: 'log', arguments: '{}' }],
    };
    const result: ChatMessage = { role: 'tool', content: 'Lit. '.repeat(1_000), toolCallId: 'c1' };
    const { messages } = historyWithin(model, [user('When?'), call, result, assistant('At dusk.')], 1_000);
    expect(messages[1]).toEqual(call);
    expect(messages[2]).toMatchObject({
      toolCallId: 'c1',
      content: expect.stringMatching(/^Lit\. .* …$/) as string,
    });
    expect(messages[3]).toEqual(assistant('At dusk.'));
  });

  it('omits images of an exchange that is too long', () => {
    const { model } = countingModel();
    const shown: ChatMessage = {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', dataUri: 'data:image/png;base64,AA==' },
      ],
    };
    const { messages } = historyWithin(model, [shown, assistant('A lamp.')], 1_000);
    expect(texts(messages)).toEqual(['What is this?', 'A lamp.']);
  });

  it('is empty without room', () => {
    const { model } = countingModel();
    expect(historyWithin(model, [user('When?'), assistant('x'.repeat(100))], 0)).toEqual({
      messages: [],
      isCut: true,
    });
  });
});
