import { isRun } from './is-run.js';
import { MEASURE_NAMES } from './measures.js';

const none = Object.fromEntries(MEASURE_NAMES.map((name) => [name, null]));
const RESULT = {
  key: 'a',
  line: 1,
  question: 'What?',
  scope: {},
  expected: { documents: {}, pages: [], quote: null, answers: [] },
  measures: none,
  found: [{ document_id: 'd', filename: null, page: null, score: 0.5, relevant: false, text: 'Lamp' }],
  retrieve_ms: 12,
  query_ms: null,
  completion: null,
  error: null,
};
const RUN = {
  lectern_eval: 1,
  at: '2026-11-23T10:00:00.000Z',
  url: 'http://127.0.0.1:8000',
  k: 100,
  concurrency: 4,
  failed: 0,
  figures: { ...none, ndcg_at_10: { mean: 0.5, questions: 1 } },
  latency: { retrieve: { p50: 1, p95: 2 }, query: null },
  questions: [RESULT],
};

describe('a run of lectern eval', () => {
  it('is recognised by the members that a report reads', () => {
    expect(isRun(RUN)).toBe(true);
  });

  it.each<readonly [string, unknown]>([
    ['nothing', null],
    ['a list', [RUN]],
    ['another version', { ...RUN, lectern_eval: 2 }],
    ['no time', { ...RUN, at: 1 }],
    ['a figure that is none', { ...RUN, figures: { ...none, ndcg_at_10: { mean: 'x', questions: 1 } } }],
    ['a figure that is missing', { ...RUN, figures: {} }],
    ['no latencies', { ...RUN, latency: {} }],
    ['no questions', { ...RUN, questions: {} }],
    ['a question without measures', { ...RUN, questions: [{ ...RESULT, measures: {} }] }],
    ['a question that expects nothing readable', { ...RUN, questions: [{ ...RESULT, expected: {} }] }],
    ['a service that is no text', { ...RUN, url: null }],
    ['a concurrency that is no number', { ...RUN, concurrency: '4' }],
    ['an uncounted failure', { ...RUN, failed: undefined }],
    ['an error that is no text', { ...RUN, questions: [{ ...RESULT, error: {} }] }],
    ['an answer that is no text', { ...RUN, questions: [{ ...RESULT, completion: 5 }] }],
    [
      'an expected page that is no number',
      { ...RUN, questions: [{ ...RESULT, expected: { ...RESULT.expected, pages: [{}] } }] },
    ],
    ['something found without a score', { ...RUN, questions: [{ ...RESULT, found: [{}] }] }],
  ])('is not %s', (_name, value) => {
    expect(isRun(value)).toBe(false);
  });
});
