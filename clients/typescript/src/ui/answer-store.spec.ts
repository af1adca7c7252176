import { LecternClient } from '../index.js';
import { AnswerStore } from './answer-store.js';

const WORDS = Array.from({ length: 2_000 }, (_, place) => `word ${place} `);

/** Each word arrives in a network read of its own, as fast as it is read. */
function manyWords(): Response {
  const events: object[] = WORDS.map((content) => ({ type: 'assistant', content }));
  events.push({ type: 'done', usage: {}, finish_reason: 'stop', sources: [], metadata: null });
  const texts = events.map((event) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
  return new Response(
    new ReadableStream({
      pull(controller) {
        const next = texts.shift();
        if (next === undefined) controller.close();
        else controller.enqueue(next);
      },
    }),
  );
}

describe('an answer that is shown', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  it('has its first word at once, and those of a frame together', async () => {
    const asked: unknown[] = [];
    const fetch = async (request: Request): Promise<Response> => {
      asked.push(await request.json());
      return manyWords();
    };
    const store = new AnswerStore(new LecternClient({ url: 'http://lectern.test', fetch }), { k: 2 });
    const { ask, stop, retry } = store;
    const texts = new Set<string>();
    store.subscribe(() => texts.add(store.get().text));
    await ask('What?');
    expect(store.get()).toMatchObject({ state: 'done', question: 'What?', text: WORDS.join('') });
    expect([...texts]).toEqual(['', WORDS[0], WORDS.join('')]); // the clock stands still: all within one frame
    await retry();
    expect(asked).toMatchObject([{ query: 'What?', k: 2 }, { query: 'What?' }]);
    expect([store.ask, store.stop, store.retry]).toEqual([ask, stop, retry]);
  });
});
