import { chunkOf } from '../../../test/support/chunks.js';
import type { Invalid } from '../../errors/index.js';
import { NoLanguageModel } from '../../models/llm/no-language-model.js';
import { countMessages } from '../../models/llm/prompt-parts.js';
import { assemblePrompt, type PromptParts } from './prompt.js';
import { fitPassages } from './context-budget.js';

const parts: PromptParts = {
  question: 'What is it?',
  questionImage: null,
  history: [],
  sinceQuestion: [],
  tools: null,
  instructions: null,
  template: null,
  schema: null,
  citations: true,
  searches: true,
};
const chunks = Array.from({ length: 1_000 }, (_, index) =>
  chunkOf({
    chunkNumber: index,
    content: `Chunk ${index}: ${'the quick brown fox jumps over it. '.repeat(8)}`,
  }),
);
const modelWith = (contextWindow: number): NoLanguageModel =>
  new NoLanguageModel({ contextWindow, maxTokens: null });

describe('the context budget', () => {
  it.each([1_024, 2_048, 8_192, 32_768])(
    'keeps the prompt and the answer within a window of %i tokens',
    async (window) => {
      const model = modelWith(window);
      const { passages, dropped } = await fitPassages(model, parts, 500, chunks);
      expect(countMessages(assemblePrompt(parts, passages), model) + 500).toBeLessThanOrEqual(window);
      expect(passages.length).toBeGreaterThan(0);
      expect(passages.length + dropped).toBe(1_000);
    },
  );

  it('counts passages once per placeholder of the template', async () => {
    const model = modelWith(4_096);
    const template = '{context} {question} {context} {context}';
    const { passages } = await fitPassages(model, { ...parts, template }, 500, chunks);
    const prompt = assemblePrompt({ ...parts, template }, passages);
    expect(countMessages(prompt, model) + 500).toBeLessThanOrEqual(4_096);
    expect(passages.length).toBeGreaterThan(0);
  });

  it('drops the lowest-ranked chunks, whole', async () => {
    const { passages } = await fitPassages(modelWith(2_048), parts, null, chunks);
    expect(passages.map(({ chunk }) => chunk)).toEqual(chunks.slice(0, passages.length));
    expect(passages.map(({ number }) => number)).toEqual(passages.map((_, index) => index + 1));
  });

  it('keeps everything that fits', async () => {
    const { passages, dropped } = await fitPassages(modelWith(200_000), parts, null, chunks);
    expect([passages.length, dropped]).toEqual([1_000, 0]);
  });

  it('reserves more for the answer if max_tokens requests it', async () => {
    const small = await fitPassages(modelWith(4_096), parts, 3_000, chunks);
    const usual = await fitPassages(modelWith(4_096), parts, 100, chunks);
    expect(small.passages.length).toBeLessThan(usual.passages.length);
  });

  it('names the member that exceeds the window', async () => {
    const where = (promise: Promise<unknown>): Promise<unknown> =>
      promise.catch((error: unknown) => (error as Invalid).items[0]?.loc);
    await expect(where(fitPassages(modelWith(512), parts, 600, []))).resolves.toEqual(['body', 'max_tokens']);
    const long = { ...parts, question: 'why '.repeat(1_000) };
    await expect(where(fitPassages(modelWith(512), long, null, []))).resolves.toEqual(['body', 'query']);
  });

  it('stops counting a prompt that is too long', async () => {
    const model = modelWith(2_048);
    const count = jest.spyOn(model, 'countTokens');
    const long = { ...parts, question: 'why '.repeat(500_000) };
    await expect(fitPassages(model, long, null, [])).rejects.toMatchObject({
      items: [{ loc: ['body', 'query'] }],
    });
    const counted = count.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
    expect(counted).toBeLessThan(200_000);
  });

  it('counts text like control tokens, and long runs without spaces', async () => {
    const odd = [
      chunkOf({ content: '<|endoftext|><|im_start|>' }),
      chunkOf({ content: '保修期为两年'.repeat(3_000) }),
    ];
    const { passages } = await fitPassages(modelWith(2_048), parts, null, odd);
    expect(passages).toHaveLength(1);
  });
});
