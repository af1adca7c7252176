import { expectationOf, type Expected, type Passage } from './expectation.js';
import { measure } from './measures.js';

const IDS = new Map([
  ['a.pdf', 'a'],
  ['b.pdf', 'b'],
]);
const NOTHING: Expected = { documents: {}, pages: [], quote: null, answers: [] };

const passage = (
  documentId: string,
  chunkNumber: number,
  page: number | null = null,
  content = '',
): Passage => ({
  documentId,
  chunkNumber,
  page,
  content,
});

const FOUND = [
  passage('b', 0, 1, 'The lamp is lit at dawn.'),
  passage('b', 1, 1, 'Nothing.'),
  passage('a', 0, 2, 'The lamp is lit at noon.'),
  passage('a', 1, 3, 'The lamp is lit at dusk, not before.'),
];

const measured = (expected: Partial<Expected>) => {
  const whole = { ...NOTHING, ...expected };
  return measure(FOUND, null, expectationOf(whole, IDS), whole.answers);
};

describe('the relevance of a ranking', () => {
  it('is measured by documents, each at its best chunk', () => {
    expect(measured({ documents: { 'a.pdf': 1 } })).toMatchObject({
      recall_at_1: 0,
      recall_at_4: 1,
      reciprocal_rank: 1 / 2,
      ndcg_at_10: 1 / Math.log2(3),
    });
  });

  it('is measured by pages if a page is expected', () => {
    expect(measured({ documents: { 'a.pdf': 1 }, pages: [3] }).reciprocal_rank).toBe(1 / 3);
    expect(measured({ documents: { 'a.pdf': 1 }, pages: [2, 9] })).toMatchObject({
      reciprocal_rank: 1 / 2,
      recall_at_10: 1 / 2,
    });
  });

  it('is measured by chunks if a quote is expected, within the named document and page', () => {
    expect(measured({ quote: 'lamp is lit at dusk' }).reciprocal_rank).toBe(1 / 4);
    expect(measured({ quote: 'the lamp is lit' }).reciprocal_rank).toBe(1);
    expect(measured({ quote: 'the lamp is lit', documents: { 'a.pdf': 1 } }).reciprocal_rank).toBe(1 / 3);
    expect(
      measured({ quote: 'the lamp is lit', documents: { 'a.pdf': 1 }, pages: [3] }).reciprocal_rank,
    ).toBe(1 / 4);
    expect(measured({ quote: 'never said' }).recall_at_10).toBe(0);
  });

  it('is not measured if only an answer is expected', () => {
    expect(Object.values(measured({ answers: ['x'] }))).toEqual(Array.from({ length: 7 }, () => null));
  });
});

describe('a completion', () => {
  const answer = 'The lamp is lit at dusk [a.pdf, page 3]. [b.pdf, page 1]';
  const citation = (of: Passage, text: string) => ({
    ...of,
    content: '',
    start: answer.indexOf(text),
    end: answer.indexOf(text) + text.length,
  });
  const completion = {
    text: answer,
    citations: [
      citation(passage('a', 1, 3), '[a.pdf, page 3]'),
      citation(passage('b', 0, 1), '[b.pdf, page 1]'),
    ],
  };
  const of = (expected: Partial<Expected>, what = completion) => {
    const whole = { ...NOTHING, ...expected };
    return measure(FOUND, what, expectationOf(whole, IDS), whole.answers);
  };

  it('is correct if it contains one of the answers', () => {
    expect(of({ answers: ['at dawn', 'at dusk'] }).answer_contained).toBe(1);
    expect(of({ answers: ['at dawn'] }).answer_contained).toBe(0);
    expect(of({ answers: ['3'] }).answer_contained).toBe(0); // the page of a citation is not part of the answer
  });

  it('has as citation precision the share of citations of expected sources', () => {
    expect(of({ documents: { 'a.pdf': 1 } }).citation_precision).toBe(1 / 2);
    expect(of({ documents: { 'a.pdf': 1 }, pages: [2] }).citation_precision).toBe(0);
    expect(of({ quote: 'at dusk, not before' }).citation_precision).toBe(1 / 2);
    expect(of({ documents: { 'a.pdf': 1 } }, { text: 'x', citations: [] }).citation_precision).toBeNull();
    expect(of({ answers: ['x'] }).citation_precision).toBeNull();
  });
});
