import { LecternError } from '@lectern/client';
import { Evaluation } from './evaluation.js';
import { parseQuestions } from './question-file.js';
import type { ServiceUnderTest } from './service-under-test.js';

const { questions } = parseQuestions(
  ['one', 'two', 'three', 'four'].map((question) => JSON.stringify({ question, answer: 'x' })).join('\n'),
);

describe('a run', () => {
  /** Runs an evaluation whose second question fails with this error. */
  async function run(failure: Error, isThere: boolean) {
    const asked: string[] = [];
    const client = {
      reach: () => (isThere ? Promise.resolve() : Promise.reject(new Error('Cannot reach it'))),
      retrieve: (text: string) => {
        asked.push(text);
        return text === 'two' ? Promise.reject(failure) : Promise.resolve({ value: [], ms: 1 });
      },
    };
    const stop = new AbortController();
    const options = { k: 10, answers: 'none', concurrency: 1 } as const;
    const evaluation = new Evaluation(client as unknown as ServiceUnderTest, new Map(), options, stop);
    const reported: number[] = [];
    const results = await evaluation.run(questions, ({ line }) => reported.push(line));
    return {
      asked,
      reported,
      errors: results.map(({ error }) => error),
      reason: stop.signal.reason as unknown,
    };
  }

  it('continues after a failed question', async () => {
    for (const failure of [new LecternError(422, 'no'), new LecternError(0, 'No answer')]) {
      const { asked, errors } = await run(failure, true);
      expect(asked).toEqual(['one', 'two', 'three', 'four']);
      expect(errors).toEqual([null, failure.message, null, null]);
    }
  });

  it('returns partial results when the service becomes unreachable', async () => {
    const { asked, reported, errors, reason } = await run(new LecternError(0, 'No answer'), false);
    expect(asked).toEqual(['one', 'two']);
    expect(reported).toEqual([1]);
    expect(errors).toEqual([null]);
    expect(reason).toEqual(new Error('Cannot reach it'));
  });
});
