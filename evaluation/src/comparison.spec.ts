import { compare, isComparable } from './comparison.js';
import { figuresOf, worst } from './figures.js';
import { page } from './report/page.js';
import { latencyPlot, rankPlot } from './report/sections.js';
import { comparisonSummary, summary } from './report/summary.js';
import type { QuestionResult, Run } from './run.types.js';

const HOSTILE = '<script>alert("1")</script><img src="https://elsewhere.example/a.png">';

function result(line: number, ndcg: number | null, more: Partial<QuestionResult> = {}): QuestionResult {
  return {
    key: `${line}`,
    line,
    question: `Question ${line}?`,
    scope: {},
    expected: { documents: { 'a.pdf': 1 }, pages: [], quote: null, answers: [] },
    measures: {
      ndcg_at_10: ndcg,
      reciprocal_rank: ndcg,
      recall_at_1: 0,
      recall_at_4: 1,
      recall_at_10: 1,
      answer_contained: null,
      citation_precision: null,
    },
    retrieve_ms: line,
    query_ms: null,
    found: [],
    completion: null,
    error: null,
    ...more,
  };
}

function runOf(questions: readonly QuestionResult[]): Run {
  const head = {
    lectern_eval: 1,
    at: '2026-11-22T12:00:00.000Z',
    url: 'http://here',
    k: 100,
    concurrency: 1,
  } as const;
  return { ...head, ...figuresOf(questions), questions };
}

const run = (...values: readonly (number | null)[]) =>
  runOf(values.map((value, index) => result(index + 1, value)));
const verdicts = (after: Run, before: Run) =>
  Object.fromEntries(compare(after, before).differences.map(({ measure, verdict }) => [measure, verdict]));

describe('the comparison of two runs', () => {
  it('finds no difference between a run and itself', () => {
    const one = run(0.1, 0.5, 1);
    expect(new Set(Object.values(verdicts(one, one)))).toEqual(new Set(['same']));
    expect(comparisonSummary(compare(one, one))).toMatch(/nDCG@10 +0.533 -> 0.533 {2}no difference/);
  });

  it('classifies a difference as noise if chance explains it, else by its direction', () => {
    const before = run(...Array.from({ length: 20 }, () => 0.5));
    const mixed = run(...Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 0.7 : 0.4)));
    const up = run(...Array.from({ length: 20 }, (_, index) => (index === 0 ? 0.4 : 0.7)));
    expect(verdicts(mixed, before)['ndcg_at_10']).toBe('noise');
    expect(verdicts(up, before)).toMatchObject({ ndcg_at_10: 'better', recall_at_1: 'same' });
    expect(verdicts(before, up)['ndcg_at_10']).toBe('worse');
  });

  it('pairs identical questions', () => {
    const before = runOf([result(1, 1), result(2, 1), result(3, null)]);
    const moved = result(2, 0, {
      expected: { documents: { 'b.pdf': 1 }, pages: [], quote: null, answers: [] },
    });
    const { pairs, unpaired, differences } = compare(runOf([result(1, 0), moved, result(3, 1)]), before);
    expect(pairs.map(({ after }) => after.line)).toEqual([1, 3]);
    expect(unpaired).toBe(2);
    expect(differences[0]).toMatchObject({ measure: 'ndcg_at_10', questions: 1, up: 0, down: 1 });
  });

  it('reports that nothing can be compared', () => {
    const before = runOf([result(1, 1)]);
    const after = runOf([result(2, 1)]);
    expect([isComparable(after.questions, before), isComparable(before.questions, before)]).toEqual([
      false,
      true,
    ]);
    const text =
      'Nothing can be compared with the run of 2026-11-22T12:00:00.000Z: no question was measured in both; 2 questions that are in only one run are left out.';
    expect(comparisonSummary(compare(after, before))).toBe(text);
    expect(page(after, compare(after, before))).toContain('Nothing can be compared');
  });

  it('names differing settings as possible causes', () => {
    const before = { ...run(0.5), k: 10, url: 'http://there' };
    const text = 'The settings of the runs differ: k 10 -> 100, url http://there -> http://here';
    expect(comparisonSummary(compare(run(0.5), before)).split('\n')[1]).toBe(text);
    expect(page(run(0.5), compare(run(0.5), before))).toContain(text.replaceAll('>', '&gt;'));
    expect(page(run(0.5), compare(run(0.5), run(0.5)))).not.toContain('other settings');
  });
});

describe('the figures of a run', () => {
  it('are means over the questions that have them, and nearest-rank latency percentiles', () => {
    const { figures, latency, failed } = run(0, 1, null, 0.5);
    expect(figures.ndcg_at_10).toEqual({ mean: 0.5, questions: 3 });
    expect(figures.answer_contained).toBeNull();
    expect(latency).toEqual({ retrieve: { p50: 2, p95: 4 }, query: null });
    expect(failed).toBe(0);
  });

  it('list the worst questions, failures first', () => {
    const questions = [result(1, 1), result(2, 0.5), result(3, null, { error: 'no' }), result(4, 0)];
    expect(worst(questions, 10).map(({ line }) => line)).toEqual([3, 4, 2]);
    expect(worst(questions, 1)).toHaveLength(1);
  });

  it('are printed in one line each', () => {
    expect(summary(run(0.25, 0.75))).toBe(
      [
        'nDCG@10             0.500  2 questions',
        'MRR                 0.500  2 questions',
        'recall@1            0.000  2 questions',
        'recall@4            1.000  2 questions',
        'recall@10           1.000  2 questions',
        '/retrieve           p50 1 ms, p95 2 ms',
      ].join('\n'),
    );
  });
});

describe('the page of a run', () => {
  const found = { document_id: 'd', filename: HOSTILE, page: 3, score: 0.5, relevant: false, text: HOSTILE };
  const hostile = result(1, 0, {
    question: HOSTILE,
    found: [found],
    completion: HOSTILE,
    expected: { documents: { [HOSTILE]: 1 }, pages: [], quote: HOSTILE, answers: [HOSTILE] },
  });
  const after = runOf([hostile, result(2, 1), result(3, null, { error: HOSTILE })]);
  const text = page(
    after,
    compare(after, runOf([{ ...hostile, measures: result(1, 1).measures }, result(2, 1)])),
  );

  it('escapes the text of documents and questions', () => {
    expect(text).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;');
    expect(text).not.toMatch(/<script|<img/);
  });

  it('makes no requests', () => {
    expect(text).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(text).not.toMatch(/<[^>]*(\shref|\ssrc|\son\w+)=|url\(|@import/);
  });

  it('has integer axes for counts', () => {
    const ticks = [...rankPlot(run(1, 1)).markup.matchAll(/text-anchor="end">([^<]*)</g)];
    expect(ticks.map(([, tick]) => tick)).toEqual(['0', '1', '2']);
  });

  it('uses the axes of the run beside it', () => {
    const slow = runOf([result(1, 1, { retrieve_ms: 900 })]);
    const axis = (of: string) => [...of.matchAll(/text-anchor="middle">([\d,]+)</g)].map(([, tick]) => tick);
    expect(axis(latencyPlot(run(1), slow).markup)).toEqual(axis(latencyPlot(slow).markup));
    expect(axis(latencyPlot(run(1)).markup)).not.toEqual(axis(latencyPlot(slow).markup));
  });

  it('draws ranks, latencies and changes', () => {
    expect(text.match(/<svg/g)).toHaveLength(3);
    expect(text).not.toContain('NaN');
    expect(page(runOf([]), null)).not.toContain('NaN');
  });
});
